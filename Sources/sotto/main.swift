import Glibc

// Arguments as bytes: a file name need not be UTF-8.
let arguments: [[UInt8]] = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
  guard let text = unsafe CommandLine.unsafeArgv[index] else { return nil }
  return unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map {
    UInt8(bitPattern: $0)
  }
}

// Where one of the three is closed, the next file or socket would get its number, and be written to.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
  // It gets the lowest number that is free, which is this one.
  _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
}

Program.run(arguments)
