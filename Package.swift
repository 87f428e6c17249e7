// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Only Swift, libasound2-dev and libpulse-dev are needed to build: every other library is bound
// with dlopen at first need (Docs/Decisions/0003-doors.md). sotto depends on no Swift package.

/// Every Swift module: language mode 6, and a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Modules that hold pointers say so at every use.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

/// The doors: the same for C, but a library's next version may deprecate what we call.
let strictC: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
  .treatWarning("deprecated-declarations", as: .warning),
]

/// TagLib is C++ and cannot be bound with dlopen: what calls it is a library of its own, linked with
/// TagLib where its headers are.
let hasTagLib = ["/usr/include", "/usr/local/include"].contains {
  access($0 + "/taglib/taglib.h", F_OK) == 0
}

let package = Package(
  name: "sotto",
  products: [
    .executable(name: "sotto", targets: ["sotto"]),
    // The rules alone, for other programs.
    .library(name: "AudioSession", targets: ["AudioSession"]),
    // Loaded at first need from beside the program; see CTagLib.
    .library(name: "sotto-taglib", type: .dynamic, targets: ["CTagLibBridge"]),
  ],
  targets: [
    // Doors: what Swift cannot import, one library each.
    .target(name: "CRealtime", cSettings: strictC),
    .target(
      name: "CAudioOutput", dependencies: ["CRealtime"], cSettings: strictC,
      linkerSettings: [.linkedLibrary("pulse"), .linkedLibrary("asound")]),
    .target(name: "CClock", cSettings: strictC),
    .target(name: "CBinding", cSettings: strictC),
    .target(name: "CSndfile", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CFFmpeg", cSettings: strictC),
    .target(name: "CMusepack", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CSoxr", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CCharset", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CUtf8proc", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CTerminfo", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CChafa", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CSystemd", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CEvdev", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CSQLite", dependencies: ["CBinding"], cSettings: strictC),
    .target(name: "CTagLib", cSettings: strictC),
    .target(
      name: "CTagLibBridge", cSettings: strictC,
      cxxSettings: [
        .headerSearchPath("../CTagLib/include"), .enableWarning("all"), .enableWarning("extra"),
        .treatAllWarnings(as: .error), .treatWarning("deprecated-declarations", as: .warning),
      ], linkerSettings: hasTagLib ? [.linkedLibrary("tag")] : []),

    // Pure modules.
    .target(name: "AudioTypes", swiftSettings: strict),
    .target(name: "PlayQueue", dependencies: ["AudioTypes"], swiftSettings: strict),

    .target(
      name: "AudioSession", dependencies: ["AudioTypes"],
      resources: [.embedInCode("applications.conf")], swiftSettings: strict),

    .target(
      name: "PlayerState", dependencies: ["AudioTypes", "AudioSession", "PlayQueue"],
      swiftSettings: strict),
    .target(
      name: "TerminalModel",
      dependencies: ["AudioTypes", "AudioSession", "PlayQueue", "PlayerState", "CUtf8proc"],
      swiftSettings: strictMemory),

    .target(
      name: "TerminalScreen", dependencies: ["TerminalModel", "CTerminfo", "CChafa"],
      swiftSettings: strictMemory),

    .target(name: "JSONText", swiftSettings: strict),
    .target(
      name: "SessionReplay", dependencies: ["AudioTypes", "AudioSession", "JSONText"],
      swiftSettings: strict),

    .target(name: "Bus", dependencies: ["AudioTypes", "CSystemd"], swiftSettings: strictMemory),
    .target(
      name: "RemoteControl",
      dependencies: [
        "AudioTypes", "AudioSession", "PlayQueue", "PlayerState", "JSONText", "Bus", "CEvdev",
      ],
      swiftSettings: strictMemory),

    .target(
      name: "Tags", dependencies: ["AudioTypes", "Decoding", "CTagLib"],
      swiftSettings: strictMemory),
    .target(name: "Database", dependencies: ["CSQLite"], swiftSettings: strictMemory),
    .target(
      name: "StateStore", dependencies: ["AudioTypes", "PlayQueue", "Database"],
      swiftSettings: strictMemory),

    // Sums over samples: optimised in debug builds too, where they would take a hundred times as long.
    .target(name: "SoundCheck", swiftSettings: strict + [.unsafeFlags(["-O"])]),

    // Sound.
    .target(
      name: "Realtime", dependencies: ["AudioTypes", "CRealtime"], swiftSettings: strictMemory),
    .target(
      name: "Decoding", dependencies: ["AudioTypes", "CSndfile", "CFFmpeg", "CMusepack", "CSoxr"],
      swiftSettings: strictMemory),
    .target(
      name: "OutputInterface", dependencies: ["AudioTypes", "Realtime", "CRealtime"],
      swiftSettings: strictMemory),
    .target(
      name: "AudioOutput", dependencies: ["OutputInterface", "CAudioOutput"],
      swiftSettings: strictMemory),
    .target(
      name: "AudioEngine", dependencies: ["Realtime", "Decoding", "OutputInterface"],
      swiftSettings: strictMemory),
    .target(
      name: "MusicLibrary",
      dependencies: ["AudioTypes", "Decoding", "Tags", "Database", "CCharset"],
      swiftSettings: strict),

    .target(
      name: "Player",
      dependencies: ["AudioTypes", "AudioSession", "AudioEngine", "Decoding", "OutputInterface"],
      swiftSettings: strictMemory),

    .target(
      name: "SystemEvents",
      dependencies: [
        "AudioTypes", "AudioSession", "OutputInterface", "CAudioOutput", "CClock", "Bus",
      ],
      swiftSettings: strictMemory),

    // The composition root.
    .executableTarget(
      name: "sotto",
      dependencies: [
        "AudioTypes", "AudioSession", "PlayQueue", "JSONText", "SessionReplay", "Decoding",
        "MusicLibrary", "OutputInterface", "AudioOutput", "AudioEngine", "Player", "SoundCheck",
        "PlayerState", "TerminalModel", "TerminalScreen", "SystemEvents", "RemoteControl",
        "Bus", "Tags", "Database", "StateStore",
      ], swiftSettings: strictMemory),

    // Tests. TestSupport starts private servers and makes signals; it ships in no product.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    // What must hold of every parser: for the kept corpus and the fuzzer. Ships in no product.
    .target(
      name: "ParserChecks",
      dependencies: [
        "AudioSession", "JSONText", "MusicLibrary", "PlayerState", "SessionReplay",
        "TerminalModel",
      ], path: "Tests/ParserChecks", swiftSettings: strict),
    .testTarget(name: "CorpusTests", dependencies: ["ParserChecks"], swiftSettings: strict),
    .testTarget(name: "AudioTypesTests", dependencies: ["AudioTypes"], swiftSettings: strict),
    .testTarget(name: "PlayQueueTests", dependencies: ["PlayQueue"], swiftSettings: strict),
    .testTarget(name: "PlayerStateTests", dependencies: ["PlayerState"], swiftSettings: strict),
    .testTarget(
      name: "AudioSessionTests", dependencies: ["AudioSession", "JSONText", "SessionReplay"],
      swiftSettings: strict),
    .testTarget(name: "SoundCheckTests", dependencies: ["SoundCheck"], swiftSettings: strict),
    .testTarget(name: "JSONTextTests", dependencies: ["JSONText"], swiftSettings: strict),
    .testTarget(
      name: "SessionReplayTests", dependencies: ["SessionReplay", "AudioSession"],
      exclude: ["Traces"], swiftSettings: strict),
    .testTarget(
      name: "RealtimeTests", dependencies: ["Realtime", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "DecodingTests", dependencies: ["Decoding", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "AudioOutputTests", dependencies: ["AudioOutput", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AudioEngineTests",
      dependencies: ["AudioEngine", "AudioOutput", "CRealtime", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DatabaseTests", dependencies: ["Database", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "StateStoreTests",
      dependencies: ["StateStore", "Database", "StateTrial", "TestSupport"],
      swiftSettings: strict),
    // A program that keeps state and is killed, for the tests; it ships in no product.
    .executableTarget(
      name: "StateTrial", dependencies: ["StateStore", "Database", "PlayQueue", "AudioTypes"],
      path: "Tests/StateTrial", swiftSettings: strict),
    .testTarget(
      name: "TagsTests", dependencies: ["Tags", "Decoding", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "BusTests", dependencies: ["Bus", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RemoteControlTests",
      dependencies: ["RemoteControl", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "MusicLibraryTests", dependencies: ["MusicLibrary", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SystemEventsTests",
      dependencies: ["SystemEvents", "AudioSession", "CAudioOutput", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PlayerTests", dependencies: ["Player", "AudioOutput", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "TerminalModelTests",
      dependencies: ["TerminalModel", "PlayerState", "PlayQueue", "AudioSession", "TestSupport"],
      exclude: ["Frames"], swiftSettings: strict),
    // A program that paints known grids, for the tests on real terminals; it ships in no product.
    .executableTarget(
      name: "ScreenTrial", dependencies: ["TerminalModel", "TerminalScreen"],
      path: "Tests/ScreenTrial", swiftSettings: strictMemory),
    .testTarget(
      name: "TerminalScreenTests",
      dependencies: ["TerminalScreen", "TerminalModel", "TestSupport", "ScreenTrial"],
      swiftSettings: strict),
    .testTarget(
      name: "SottoTests",
      dependencies: ["sotto", "JSONText", "TerminalModel", "StateTrial", "TestSupport"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
