import AudioTypes
import CFFmpeg

/// A cover's pixels: RGBA, row by row from the top, not premultiplied.
public struct DecodedPicture: Equatable, Sendable {
  /// Pixels in a row, at least 1.
  public var width: Int
  /// Rows, at least 1.
  public var height: Int
  /// Four bytes a pixel: `width` · `height` · 4 of them, without space between rows.
  public var pixels: [UInt8]
}

/// Covers: the pictures in files, and picture files, as pixels. By FFmpeg; any thread but the
/// control thread, since a picture takes up to some tenths of a second.
public enum Pictures {
  /// The pixels of a picture file (JPEG, PNG, WebP, GIF, BMP), its longer side no more than
  /// `largest`. Nil where it is none of these, damaged, larger than any cover, or FFmpeg is missing.
  public static func decode(_ bytes: [UInt8], largest: Int) -> DecodedPicture? {
    guard FFmpegLibrary.missing == nil, !bytes.isEmpty, (1...4096).contains(largest) else {
      return nil
    }
    var width: Int32 = 0
    var height: Int32 = 0
    let pixels = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe sotto_ff_decode_picture(
        bytes.baseAddress, bytes.count, Int32(largest), &width, &height)
    }
    guard let pixels = unsafe pixels else { return nil }
    defer { unsafe sotto_ff_free_picture(pixels) }
    let count = Int(width) * Int(height) * 4
    return DecodedPicture(
      width: Int(width), height: Int(height),
      pixels: unsafe Array(UnsafeBufferPointer(start: pixels, count: count)))
  }

  /// The bytes of the picture that lies in a file of music; nil where there is none, or FFmpeg
  /// cannot read the file.
  public static func attached(to path: [UInt8]) -> [UInt8]? {
    let reader = try? FFmpegReader(path: path, isURL: false, abort: nil)
    return reader?.picture()?.bytes
  }
}
