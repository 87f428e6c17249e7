import AudioTypes
import Bus
import Database
import Glibc
import JSONText
import MusicLibrary

/// `sotto scan`: brings the index of the collection up to what is in its folders.
@MainActor enum ScanCommand {
  static func run(_ options: ScanOptions) throws(UsageError) {
    guard let folder = LibraryPlace.folder, let path = LibraryPlace.path else {
      Messages.tell("neither XDG_STATE_HOME nor HOME says where to keep the collection")
      Messages.status = 1
      return
    }
    let configuration = Configuration.read(options.config)
    configuration.tellFaults()
    let cause = Folders.make(folder)
    if cause != 0 {
      return Messages.fault(folder, "cannot be made: \(Descriptor.sentence(cause))")
    }
    var work = Work(options: options, path: path, set: LibraryPlace.folders(configuration.settings))
    work.named = named(options.folders)
    if work.named.isEmpty, !options.folders.isEmpty { return }
    Signals.setFlagMode()
    // Held for exactly as long as the scan, however it ends (S40).
    let inhibitor = SleepInhibitor(why: "scanning music")
    defer { inhibitor.end() }
    do throws(DatabaseError) {
      try work.open()
    } catch {
      work.line.end()
      Messages.fault(path, error.sentence)
    }
    if work.hasNothing {
      throw UsageError(
        sentence: "no folder is known: 'sotto scan DIR' adds one, or the setting library-folders")
    }
    inhibitor.end()
    if let number = Signals.interruption {
      if number == SIGINT { Exit.end(130) }
      Exit.end(bySignal: number)
    }
  }

  /// The folders of the command line that are folders.
  private static func named(_ paths: [[UInt8]]) -> [[UInt8]] {
    paths.compactMap { path in
      var facts = stat()
      let isThere = unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &facts) == 0
      if isThere, facts.st_mode & S_IFMT != S_IFDIR {
        Messages.fault(path, "not a folder")
        return nil
      }
      // One that is not there may be known.
      return LibraryPlace.absolute(path)
    }
  }

  /// One scan, from opening the index to its report.
  @MainActor private struct Work {
    let options: ScanOptions
    let path: [UInt8]
    /// Folders of the configuration, and of the command line.
    let set: [[UInt8]]
    var named: [[UInt8]] = []
    var hasNothing = false
    let line = ScanLine()

    /// A damaged index is put aside and made anew, also where the damage shows later.
    mutating func open() throws(DatabaseError) {
      do throws(DatabaseError) {
        try scan()
      } catch {
        guard error.cause == .corrupt else { throw error }
        line.end()
        if let name = try LibraryFile.anew(path).setAside { tell(setAside: name) }
        try scan()
      }
    }

    private func tell(setAside name: [UInt8]) {
      Messages.tell(
        "\(Text.printable(path)): damaged; it is kept as \(Text.printable(name)), and all is read"
          + " again")
    }

    private mutating func scan() throws(DatabaseError) {
      let (index, name) = try LibraryFile.open(path)
      if let name { tell(setAside: name) }
      let kept = try index.roots()
      var all = kept + set
      for folder in named where !all.contains(where: { LibraryScan.covers($0, folder) }) {
        if isThere(folder) { try index.add(root: folder) }
        all.append(folder)
      }
      LibraryFile.keepFolders(of: index, beside: path)
      let roots = named.isEmpty ? all : named
      hasNothing = roots.isEmpty
      if hasNothing { return }
      let began = ScanLine.seconds()
      let line = line
      let shows = !options.json
      let scan = LibraryScan(
        index, roots: roots, all: all, now: Int64(time(nil)),
        isCancelled: { Signals.interruption != nil },
        progress: { progress in
          if shows { MainActor.assumeIsolated { line.show(progress) } }
        })
      let summary = try scan.run()
      line.end()
      // Ended or not: what was found at another place is there.
      if let folder = LibraryPlace.folder,
        let problem = MovedFiles(index: path, folder: folder).follow(index, nil).problem
      {
        Messages.tell(problem)
      }
      let forgotten =
        options.forgetsMissing && summary.isComplete ? try scan.forgetMissing() : 0
      try report(summary, forgotten, index, ScanLine.seconds() - began)
    }

    private func isThere(_ path: [UInt8]) -> Bool {
      unsafe access(path.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
    }

    private func report(
      _ summary: ScanSummary, _ forgotten: Int, _ index: LibraryIndex, _ seconds: Double
    ) throws(DatabaseError) {
      for fault in summary.faults { Messages.fault(fault.path, fault.sentence) }
      for (folder, files) in summary.absent {
        if named.contains(folder) { Messages.status = 1 }
        Messages.tell(
          "\(Text.printable(folder)): not there, or empty; is its drive mounted? What is known of"
            + " its \(ScanText.count(files, "file")) is kept")
      }
      let faults = try index.faults()
      if options.report {
        for fault in faults { ScanText.print(fault, json: options.json) }
      }
      let counts = try index.counts()
      let missing = try index.missingCount()
      if options.json {
        let object = ScanText.json(
          summary, forgotten: forgotten, unreadable: faults.count, missing: missing,
          tracks: counts.tracks, seconds: seconds)
        Console.write(object.text(isASCII: !Environment.isUTF8) + "\n")
      } else {
        Console.print(
          ScanText.sentence(
            summary, forgotten: forgotten, unreadable: faults.count,
            missing: missing, isReported: options.report))
      }
      Console.endIfBroken()
    }
  }
}

/// How far a scan is, on one line of a terminal.
@MainActor final class ScanLine {
  private let isTerminal = isatty(STDOUT_FILENO) == 1 && !Environment.isDumbTerminal
  private var isShown = false

  func show(_ progress: ScanProgress) {
    guard isTerminal else { return }
    isShown = true
    let read = progress.toRead > 0 ? ", \(progress.read) of \(progress.toRead) read" : ""
    Console.write("\r\u{1B}[K\(ScanText.count(progress.files, "file"))\(read)")
    Console.flush()
  }

  func end() {
    guard isShown else { return }
    isShown = false
    Console.write("\r\u{1B}[K")
    Console.flush()
  }

  nonisolated static func seconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// What a scan found, in words.
@MainActor enum ScanText {
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  static func sentence(
    _ summary: ScanSummary, forgotten: Int, unreadable: Int, missing: Int, isReported: Bool
  ) -> String {
    let changes = [
      (summary.added, "new"), (summary.changed, "changed"), (summary.moved, "moved"),
      (summary.returned, "back"), (summary.missing, "gone"), (forgotten, "forgotten"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    var text = summary.isComplete ? "" : "interrupted: "
    text += count(summary.files, "file") + " in " + count(summary.folders, "folder") + ": "
    text += changes.isEmpty ? "nothing changed" : changes.joined(separator: ", ")
    if unreadable > 0 {
      text += "; \(unreadable) cannot be read"
      if !isReported { text += " ('sotto scan --report' says why)" }
    }
    if missing > 0, summary.missing == 0 { text += "; \(missing) missing" }
    return text
  }

  static func json(
    _ summary: ScanSummary, forgotten: Int, unreadable: Int, missing: Int, tracks: Int,
    seconds: Double
  ) -> JSON {
    .object([
      ("complete", .bool(summary.isComplete)), ("folders", .int(Int64(summary.folders))),
      ("files", .int(Int64(summary.files))), ("tracks", .int(Int64(tracks))),
      ("added", .int(Int64(summary.added))), ("changed", .int(Int64(summary.changed))),
      ("moved", .int(Int64(summary.moved))), ("returned", .int(Int64(summary.returned))),
      ("gone", .int(Int64(summary.missing))), ("forgotten", .int(Int64(forgotten))),
      ("missing", .int(Int64(missing))), ("unreadable", .int(Int64(unreadable))),
      (
        "absent",
        .array(
          summary.absent.map { folder, files in
            .object([("path", .bytes(folder)), ("files", .int(Int64(files)))])
          })
      ),
      ("seconds", .double((seconds * 1000).rounded() / 1000)),
    ])
  }

  static func print(_ fault: LibraryFault, json: Bool) {
    if json {
      let object = JSON.object([
        ("path", .bytes(fault.path)), ("error", .string(fault.sentence)),
      ])
      Console.write(object.text(isASCII: !Environment.isUTF8) + "\n")
    } else {
      Console.print("\(Text.printable(fault.path)): \(Text.printable(fault.sentence))")
    }
  }
}
