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
