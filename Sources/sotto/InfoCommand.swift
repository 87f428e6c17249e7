import AudioTypes
import Decoding
import JSONText
import MusicLibrary

/// `sotto info`: what files are, without playing them.
@MainActor enum InfoCommand {
  static func run(paths: [[UInt8]], json: Bool) {
    var expansion = Expansion(paths, collection: LibraryPlace.collection(for: paths))
    while let item = expansion.next(), !Console.isBroken {
      switch item {
      case .fault(let fault): fail(fault.path, fault.sentence, json)
      case .track(let track):
        do {
          let info = try TrackOpener.info(track.location)
          if json {
            Console.write(InfoText.json(track, info).text(isASCII: !Environment.isUTF8) + "\n")
          } else {
            for line in InfoText.lines(track, info) { Console.print(line) }
            Console.print("")
          }
        } catch {
          fail(track.location.path, error.sentence, json)
        }
        Console.flush()
      }
    }
    Console.endIfBroken()
  }

  private static func fail(_ path: [UInt8], _ sentence: String, _ json: Bool) {
    if json {
      let object = JSON.object([("path", .bytes(path)), ("error", .string(sentence))])
      Console.write(object.text(isASCII: !Environment.isUTF8) + "\n")
      Console.flush()
    }
    Messages.fault(path, sentence)
  }
}
