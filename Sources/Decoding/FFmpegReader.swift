import AudioTypes
import CFFmpeg
import CMusepack
import Glibc

/// The door's handle as an object: opens, reads packets, decodes them. One thread at a time.
@safe final class FFmpegReader {
  private let handle: OpaquePointer
  private let abort: FFmpegAbort?
  let isURL: Bool
  /// Opening is over, so that nonsense is damage.
  private var isOpen = false
  /// Lengths that the container's own header tells better than FFmpeg does.
  private(set) var timing: ContainerTiming?
  private(set) var facts = unsafe sotto_ff_facts()
  /// Decodes in FFmpeg's place, where the stream is Musepack and its own library is there.
  private var musepack: MusepackFrames?

  /// Seconds that waiting for the network may take.
  struct Patience {
    /// One wait.
    var each = 9.0
    /// All waits of opening together, until `opened`.
    var opening = 10.0
  }

  init(
    path: [UInt8], isURL: Bool, abort: FFmpegAbort?, patience: Patience = .init()
  ) throws(DecodingError) {
    try FFmpegLibrary.load()
    var descriptor: Int32 = -1
    if !isURL { descriptor = try Self.openRegular(path) }
    guard let handle = unsafe sotto_ff_new(abort?.flag) else {
      if descriptor >= 0 { close(descriptor) }
      throw DecodingError(.ioError, "out of memory", underlying: Int(ENOMEM))
    }
    unsafe self.handle = handle
    self.abort = abort
    self.isURL = isURL
    let code: Int32
    if isURL {
      guard TrackLocation(path: path).isURL else {
        throw DecodingError(.protocolForbidden, "only http and https are played from the network")
      }
      // FFmpeg knows a scheme in lower case only.
      let colon = path.firstIndex(of: UInt8(ascii: ":")) ?? 0
      let scheme = path[..<colon].map { $0 | 0x20 }
      let url = (scheme + path[colon...]).map { CChar(bitPattern: $0) } + [0]
      let began = URLHost.seconds()
      code = unsafe sotto_ff_open_url(handle, url, patience.each, patience.opening)
      // FFmpeg tells a host that nobody knows as a fault of input and output.
      if code == -EIO, URLHost.seconds() - began < 3, let host = URLHost.unknown(in: path) {
        throw DecodingError(
          .network, "no host is known by the name \(host): see the address and the network",
          underlying: Int(code))
      }
    } else {
      timing = ContainerTiming.read(descriptor)
      code = unsafe sotto_ff_open_file(handle, descriptor, timing?.replacesEdits ?? false)
    }
    // From here on every stored property has its value, so a throw runs deinit, which frees.
    if code != 0 { throw FFmpegLibrary.error(code, isURL: isURL, isOpen: isOpen) }
    unsafe sotto_ff_get_facts(handle, &facts)
  }

  deinit { unsafe sotto_ff_free(handle) }

  /// Opening is over: from here on each wait is bounded by itself.
  func opened() {
    isOpen = true
    unsafe sotto_ff_opened(handle)
  }

  /// Opens a regular file: any bytes are only a name, and nothing but a file is waited for.
  private static func openRegular(_ path: [UInt8]) throws(DecodingError) -> Int32 {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let number = errno
      switch number {
      case ENOENT, ENOTDIR: throw DecodingError(.notFound, "no such file", underlying: Int(number))
      case EACCES, EPERM:
        throw DecodingError(.noPermission, "no permission to read it", underlying: Int(number))
      default:
        let text = unsafe String(cString: strerror(number))
        throw DecodingError(.ioError, "cannot be opened: \(text)", underlying: Int(number))
      }
    }
    var status = stat()
    let fault: DecodingError?
    if unsafe fstat(descriptor, &status) != 0 {
      fault = DecodingError(.ioError, "cannot be read", underlying: Int(errno))
    } else if status.st_mode & S_IFMT == S_IFDIR {
      fault = DecodingError(.isFolder, "is a folder")
    } else if status.st_mode & S_IFMT != S_IFREG {
      fault = DecodingError(.notRegular, "not a regular file")
    } else if status.st_size == 0 {
      fault = DecodingError(.empty, "is empty")
    } else {
      fault = nil
    }
    if let fault {
      close(descriptor)
      throw fault
    }
    return descriptor
  }

  // MARK: Packets

  /// The next packet of the stream; `nil` at the end.
  func next() throws(DecodingError) -> sotto_ff_packet? {
    var packet = sotto_ff_packet()
    let code = unsafe sotto_ff_next(handle, &packet)
    if code < 0 { throw FFmpegLibrary.error(code, isURL: isURL, isOpen: isOpen) }
    return code == 1 ? packet : nil
  }

  func seek(time: Int64) -> Bool { unsafe sotto_ff_seek_time(handle, time) == 0 }
  func seek(byte: Int64) -> Bool { unsafe sotto_ff_seek_byte(handle, byte) == 0 }
  var seeksBytes: Bool { unsafe sotto_ff_seeks_bytes(handle) }

  func reopen() throws(DecodingError) {
    let code = unsafe sotto_ff_reopen(handle)
    if code != 0 { throw FFmpegLibrary.error(code, isURL: isURL, isOpen: isOpen) }
  }

  // MARK: Decoding

  /// Chooses the decoder that the next restart opens, by FFmpeg's name for it.
  func prefer(_ decoder: String) { unsafe sotto_ff_prefer(handle, decoder) }

  func restart() throws(DecodingError) {
    let code = unsafe sotto_ff_restart(handle)
    if code != 0 { throw FFmpegLibrary.error(code, isURL: isURL, isOpen: isOpen) }
    unsafe sotto_ff_get_facts(handle, &facts)
    if codec.hasPrefix("musepack") {
      var bytes: UnsafePointer<UInt8>?
      let count = unsafe sotto_ff_extra_bytes(handle, &bytes)
      musepack = unsafe MusepackFrames(
        codec: codec, extra: Array(UnsafeBufferPointer(start: bytes, count: count)))
    }
  }

  func flush() { unsafe sotto_ff_flush(handle) }
  /// False where the packet is damaged.
  func send(end: Bool = false) -> Bool {
    guard let musepack else { return unsafe sotto_ff_send(handle, end) == 0 }
    if end { return true }
    var bytes: UnsafePointer<UInt8>?
    let count = unsafe sotto_ff_packet_bytes(handle, &bytes)
    return unsafe musepack.take(UnsafeBufferPointer(start: bytes, count: count))
  }
  func keep(_ slot: Int) { unsafe sotto_ff_keep(handle, Int32(slot)) }
  func recall(_ slot: Int) { unsafe sotto_ff_recall(handle, Int32(slot)) }

  enum Received {
    case block(sotto_ff_block)
    case none, damaged
  }

  func receive() -> Received {
    var block = sotto_ff_block()
    if let musepack {
      block.frames = SOTTO_MPC_FRAMES
      block.rate = unsafe facts.rate
      block.channels = Int32(musepack.channels)
      let code = musepack.next()
      return code > 0 ? .block(block) : code == 0 ? .none : .damaged
    }
    let code = unsafe sotto_ff_receive(handle, &block)
    return code == 1 ? .block(block) : code == 0 ? .none : .damaged
  }

  /// Copies frames of the block received last.
  func copy(first: Int, count: Int, channels: Int, to output: UnsafeMutablePointer<Float>) {
    if let musepack {
      unsafe musepack.copy(first: first, count: count, channels: channels, to: output)
      return
    }
    unsafe sotto_ff_copy(handle, Int32(first), Int32(count), Int32(channels), output)
  }

  // MARK: Facts

  /// Where the channels sound; where the file does not tell, as in a plain file of so many.
  func layout(channels: Int) -> ChannelLayout {
    let told = (0..<channels).map {
      Channel(rawValue: Int(unsafe sotto_ff_channel(handle, Int32($0)))) ?? .unknown
    }
    return told.contains(.unknown) ? .usual(channels: channels) : ChannelLayout(told)
  }

  var container: String { unsafe String(cString: facts.container) }
  var codec: String { unsafe String(cString: facts.codec) }
  var profile: String { unsafe facts.profile.map { unsafe String(cString: $0) } ?? "" }

  /// More are not looked at: each look goes through those before it.
  private static let mostTags: Int32 = 2048

  /// Tags of the file, then those of the stream, with lower-case names.
  func tags() -> [(name: String, value: String)] {
    var tags = FileTags()
    var known: Set<String> = []
    for stream in [false, true] {
      var index: Int32 = 0
      var name: UnsafePointer<CChar>?
      var value: UnsafePointer<CChar>?
      while index < Self.mostTags, unsafe sotto_ff_tag(handle, stream, index, &name, &value) {
        if let name = unsafe name, let value = unsafe value {
          let key = unsafe String(cString: name).lowercased()
          let text = unsafe String(cString: value)
          if known.insert(key).inserted || !stream { tags.add(key, text) }
        }
        index += 1
      }
    }
    return tags.tags
  }

  func chapters() -> [TrackInfo.Chapter] {
    let count = unsafe facts.chapters
    return (0..<count).map { index in
      var title: UnsafePointer<CChar>?
      let start = unsafe sotto_ff_chapter(handle, index, &title)
      let text = unsafe title.map { unsafe String(cString: $0) }
      return TrackInfo.Chapter(start: start, title: text)
    }
  }

  /// The attached picture, copied.
  func picture() -> (type: String, bytes: [UInt8])? {
    var bytes: UnsafePointer<UInt8>?
    var size = 0
    var type: UnsafePointer<CChar>?
    guard unsafe sotto_ff_picture(handle, &bytes, &size, &type), let start = unsafe bytes,
      let name = unsafe type
    else { return nil }
    return unsafe (String(cString: name), Array(UnsafeBufferPointer(start: start, count: size)))
  }
}
