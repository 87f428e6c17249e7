import PlayerState

/// Help, made of the table of keys: keys that do the same stand in one row.
enum HelpText {
  struct Row: Equatable {
    /// Empty for a heading, and for a blank row.
    var keys: String
    var text: String
    var isHeading: Bool
  }

  static func rows(_ table: KeyTable) -> [Row] {
    var rows: [Row] = []
    for place in KeyTable.Place.allCases {
      var commands: [ScreenCommand] = []
      for binding in table.bindings where binding.place == place {
        if !commands.contains(binding.command) { commands.append(binding.command) }
      }
      guard !commands.isEmpty else { continue }
      if !rows.isEmpty { rows.append(Row(keys: "", text: "", isHeading: false)) }
      rows.append(Row(keys: "", text: place.title, isHeading: true))
      for command in commands {
        let keys = table.keys(for: command, in: place).map { $0 == "equals" ? "=" : $0 }
        rows.append(
          Row(keys: keys.joined(separator: "  "), text: command.summary, isHeading: false))
      }
    }
    return rows
  }
}

extension KeyTable.Place {
  /// What its keys do, a line each, in whole words.
  public func lines(_ table: KeyTable) -> [String] {
    var commands: [ScreenCommand] = []
    for binding in table.bindings where binding.place == self {
      if !commands.contains(binding.command) { commands.append(binding.command) }
    }
    return commands.map { command in
      let keys = table.keys(for: command, in: self)
      return "\(keys.joined(separator: " or ")): \(command.summary)."
    }
  }
}
