import AudioTypes
import MusicLibrary

struct SearchOptions: Equatable {
  var query = Query.all
  var order = CatalogOrder()
  var limit: Int?
  var json = false
  /// The name under which it is saved, instead of being looked for.
  var save: [UInt8]?
  /// What is saved may take the place of another one.
  var replaces = false
  var config: [UInt8]?
  var common = CommonOptions()
}

extension Arguments {
  /// Words that are not wanted begin with a dash: only what begins with two is an option.
  static func search(_ arguments: ArraySlice<[UInt8]>) throws(UsageError) -> Invocation {
    let read = try longOptions(arguments, CommandSpec.named(.search))
    let rest = read.rest
    if read.options["help"] != nil { return .help(.search) }
    guard !rest.isEmpty else {
      throw UsageError(sentence: "QUERY is missing; see 'sotto search --help'")
    }
    var result = SearchOptions()
    result.json = read.options["json"] != nil
    result.common = CommonOptions(log: read.options["log"])
    if let log = result.common.log, log.isEmpty {
      throw UsageError(sentence: "--log needs a file name")
    }
    if let text = read.text("limit") {
      guard let limit = Int(text), limit > 0 else {
        throw UsageError(
          sentence: "--limit must be a whole number from 1 on, not '\(Text.printable(text))'")
      }
      result.limit = limit
    }
    result.save = read.options["save"]
    result.replaces = read.options["replace"] != nil
    result.config = read.options["config"]
    if let save = result.save, save.isEmpty { throw UsageError(sentence: "--save needs a name") }
    if result.replaces, result.save == nil {
      throw UsageError(sentence: "--replace goes with --save NAME; see 'sotto search --help'")
    }
    if let text = read.text("sort") { result.order = try order(text) }
    let query = rest.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    do throws(QueryError) {
      result.query = try Query(query)
    } catch {
      throw UsageError(sentence: "\(error.sentence); see 'sotto search --help'")
    }
    return .search(result)
  }

  private static func order(_ text: String) throws(UsageError) -> CatalogOrder {
    if let order = CatalogOrder(text) { return order }
    let names = CatalogOrder.Column.allCases.map(\.rawValue)
    let name = String(text.drop { $0 == "-" })
    let hint = Nearest.word(to: name, among: names).map { ", did you mean '\($0)'?" } ?? ""
    throw UsageError(
      sentence: "--sort takes \(CatalogOrder.names), not '\(Text.printable(text))'\(hint)")
  }
}
