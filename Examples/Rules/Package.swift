// swift-tools-version: 6.2
import PackageDescription

// A program that uses the rules alone: no sound library is built or linked for it.
let package = Package(
  name: "Rules",
  dependencies: [.package(name: "sotto", path: "../..")],
  targets: [
    .executableTarget(
      name: "Rules", dependencies: [.product(name: "AudioSession", package: "sotto")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)
