import Glibc
import ParserChecks

/// What libFuzzer calls with each input. `SOTTO_FUZZ` names the parser.
private let check: ParserCheck = {
  guard let name = unsafe getenv("SOTTO_FUZZ"),
    let check = unsafe ParserCheck(rawValue: String(cString: name))
  else { fatalError("SOTTO_FUZZ names none of \(ParserCheck.allCases.map(\.rawValue))") }
  return check
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: size))
  if let fault = check.fault(bytes) { fatalError(fault) }
  return 0
}
