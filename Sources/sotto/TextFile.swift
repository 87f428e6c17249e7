import Glibc

/// Text files by their lines, as they come: a pipe is read while it is written.
@MainActor enum TextFile {
  /// What is wrong, and where: the path, with the line's number where it is about a line.
  struct Fault {
    var place: [UInt8]
    var sentence: String
  }

  private static let longest = 16 << 20

  /// Calls `take` with each line, without its line feed, and its number from 1. `-` is standard
  /// input. Ends at the first sentence that `take` gives back, and with its place.
  static func eachLine(_ path: [UInt8], _ take: ([UInt8], Int) -> String?) -> Fault? {
    let isInput = path == Array("-".utf8)
    let descriptor =
      isInput
      ? STDIN_FILENO : unsafe open(path.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return Fault(place: path, sentence: Descriptor.sentence(errno))
    }
    defer { if !isInput { close(descriptor) } }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var rest: [UInt8] = []
    var number = 0
    func fault(_ sentence: String) -> Fault {
      Fault(place: path + Array(":\(number)".utf8), sentence: sentence)
    }
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return Fault(place: path, sentence: Descriptor.sentence(errno)) }
      var began = 0
      for index in 0..<count where chunk[index] == 0x0A {
        number += 1
        rest += chunk[began..<index]
        began = index + 1
        if let sentence = take(line(rest, number), number) { return fault(sentence) }
        rest.removeAll(keepingCapacity: true)
      }
      rest += chunk[began..<count]
      if rest.count > longest {
        number += 1
        return fault("the line is longer than 16 MiB")
      }
      // What there is so far can be seen while the other end of a pipe thinks.
      Console.flush()
      guard count == 0 else { continue }
      number += 1
      if !rest.isEmpty, let sentence = take(line(rest, number), number) { return fault(sentence) }
      return nil
    }
  }

  /// Without the carriage return of other systems, and without a byte order mark.
  private static func line(_ bytes: [UInt8], _ number: Int) -> [UInt8] {
    var line = bytes[...]
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    if line.last == 0x0D { line = line.dropLast() }
    return Array(line)
  }
}
