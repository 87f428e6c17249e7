import Dispatch
import MusicLibrary

/// The disk's side: one thing after another, on a queue of its own.
final class ListDisk: @unchecked Sendable {
  private let queue = DispatchQueue(label: "sotto.lists")
  private let store: ListStore
  /// What was written last of a list that was read once: edits of it follow each other faster than
  /// the disk does. One that was read on another occasion knows nothing of it. Only on the queue.
  private var written: [Int: ListEditor] = [:]
  private var readings = 0

  init(_ store: ListStore) { self.store = store }

  func read(
    _ path: [UInt8], _ then: @escaping @MainActor (Result<OpenList, LibraryFault>) -> Void
  ) {
    queue.async {
      let result: Result<OpenList, LibraryFault>
      do throws(LibraryFault) {
        var list = OpenList(try self.store.open(path))
        list.name = path
        self.readings += 1
        list.reading = self.readings
        result = .success(list)
      } catch {
        result = .failure(error)
      }
      DispatchQueue.main.async { MainActor.assumeIsolated { then(result) } }
    }
  }

  private let edits = DispatchQueue(label: "sotto.edits")

  /// Edits a list beside everything else; nothing of it is written yet.
  func edit(
    _ list: OpenList, _ change: @escaping @Sendable (inout ListEditor) -> ListEdit?,
    _ then: @escaping @MainActor (OpenList, ListEdit?) -> Void
  ) {
    edits.async {
      var list = list
      let edit = list.edit(change)
      let edited = list
      DispatchQueue.main.async { MainActor.assumeIsolated { then(edited, edit) } }
    }
  }

  func save(
    _ list: OpenList,
    _ then: @escaping @MainActor (_ remark: String?, _ fault: LibraryFault?) -> Void
  ) {
    queue.async {
      var editor = list.editor
      if let before = self.written[list.reading] { editor.follow(before) }
      var (remark, fault): (String?, LibraryFault?)
      do throws(LibraryFault) {
        remark = try self.store.save(&editor)
        self.written[list.reading] = editor
      } catch {
        fault = error
        self.written[list.reading] = nil
      }
      let (said, wrong) = (remark, fault)
      DispatchQueue.main.async { MainActor.assumeIsolated { then(said, wrong) } }
    }
  }

  /// Whether another program has written the list since.
  func isForeign(_ list: OpenList, _ then: @escaping @MainActor (Bool) -> Void) {
    queue.async {
      let isForeign = self.store.isForeign(self.written[list.reading] ?? list.editor)
      DispatchQueue.main.async { MainActor.assumeIsolated { then(isForeign) } }
    }
  }

  /// Once everything that was asked for before is done.
  func afterwards(_ then: @escaping @MainActor () -> Void) {
    queue.async { DispatchQueue.main.async { MainActor.assumeIsolated { then() } } }
  }

  /// A list that was read then is not edited any more.
  func forget(_ reading: Int) { queue.async { self.written[reading] = nil } }
}
