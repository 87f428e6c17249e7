import Glibc

// Arguments as bytes: a file name need not be UTF-8.
let arguments: [[UInt8]] = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
  guard let text = unsafe CommandLine.unsafeArgv[index] else { return nil }
  return unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map {
    UInt8(bitPattern: $0)
  }
}
Program.run(arguments)
