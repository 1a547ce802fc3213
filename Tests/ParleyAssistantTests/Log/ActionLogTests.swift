// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyTestSupport
import Synchronization
import Testing

@Suite("The log of actions", .timeLimit(.minutes(15)))
struct ActionLogTests {
    let items = MemoryItems()
    var stores: AssistantStores { AssistantStores(notes: MemoryNotes(items: items)) }
    static let time = Date(timeIntervalSince1970: 1_800_000_000.25)
    static let origin = ActionOrigin(chat: "c", message: "m", index: 0)

    static func item(_ name: String, _ content: Data) -> StoreItem {
        StoreItem(id: StoreItem.ID(store: "notes", path: name), content: content)
    }

    static func creation(_ name: String, _ text: String) -> Change<StoreItem> {
        Change(before: nil, after: item(name, Data(text.utf8)))
    }

    @Test("What is written is in the file before the store hears of it, and is read again with every byte")
    func intent() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            let odd = Self.item("b", Data([0xEF, 0xBB, 0xBF, 0x00, 0xFF, 0x0D, 0x0A]))
            let changes = [Self.creation("a", "\u{FEFF}e\u{301}\r\n\u{0}😀"), Change(before: nil, after: odd)]
            do {
                let log = try ActionLog(at: url)
                let seen = Seen()
                items.state.withLock { state in
                    state.onApply = { _ in seen.lines = try? String(contentsOf: url, encoding: .utf8) }
                }
                let entry = try await log.write(
                    changes, .action, title: "A", origin: Self.origin, in: stores, at: Self.time)
                #expect(entry.isDone && entry.id == 1)
                #expect(seen.lines?.contains(#""kind":"intent""#) == true)
                #expect(items.made == changes)
            }
            let log = try ActionLog(at: url)
            let entry = try #require(await log.entry(1))
            #expect(entry.changes == changes && entry.time == Self.time && entry.origin == Self.origin && entry.isDone)
            #expect(await log.entries(of: "m#0") == [entry])
        }
    }

    @Test("Where the log cannot be written, nothing is written")
    func noLog() async throws {
        try await withTemporaryDirectory { directory in
            let log = try ActionLog(at: directory.appending(path: "actions.jsonl"))
            let huge = Change(before: nil, after: Self.item("a", Data(repeating: 0xFF, count: ActionLog.maxEntry + 1)))
            await #expect(throws: AssistantError.self) {
                try await log.write([huge], .action, title: "", in: stores, at: Self.time)
            }
            #expect(items.attempts == 0)
        }
    }

    @Test("A line that a kill has torn is cut off, so that the next entry is a line of its own")
    func tornLine() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            func write(_ name: String) async throws {
                let log = try ActionLog(at: url)
                _ = try await log.write([Self.creation(name, "")], .action, title: name, in: stores, at: Self.time)
            }
            try await write("a")
            let torn = try Data(contentsOf: url).prefix(30)
            let handle = try FileHandle(forWritingTo: url)
            try handle.seekToEnd()
            try handle.write(contentsOf: torn)
            try handle.close()
            try await write("b")
            #expect(await (try ActionLog(at: url)).entries(limit: 10).map(\.title) == ["b", "a"])
        }
    }

    @Test("Two processes write in turns, and each knows what the other has written")
    func two() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            let (one, other) = (try ActionLog(at: url), try ActionLog(at: url))
            for number in 0..<6 {
                let log = number.isMultiple(of: 2) ? one : other
                let entry = try await log.write(
                    [Self.creation("n\(number)", "")], .action, title: "\(number)", origin: Self.origin, in: stores,
                    at: Self.time)
                #expect(entry.id == number + 1)
            }
            for log in [one, other, try ActionLog(at: url)] {
                #expect(await log.entries(limit: 10).map(\.title) == ["5", "4", "3", "2", "1", "0"])
                #expect(await log.entries(of: Self.origin.card).count == 6)
            }
            _ = try await one.undo(6, in: stores, at: Self.time)
            await #expect(throws: AssistantError.self) { try await other.undo(6, in: stores, at: Self.time) }
        }
    }

    @Test("Writes of two processes at the same time get numbers of their own")
    func race() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            // On a busy machine one may have its turn late.
            let patience = Duration.seconds(600)
            let logs = [try ActionLog(at: url, patience: patience), try ActionLog(at: url, patience: patience)]
            let stores = stores
            let ids = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await logs[number % 2].write(
                            [Self.creation("n\(number)", "")], .action, title: "", in: stores, at: Self.time
                        ).id
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ids.sorted() == Array(1...40))
            #expect(await (try ActionLog(at: url)).entries(limit: 100).count { $0.isDone } == 40)
        }
    }

    @Test("What another process is in the middle of is not taken for left behind, and one that never ends is told")
    func patience() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            let one = try ActionLog(at: url)
            let gate = Signal()
            let (begun, over) = (gate.begun, gate.over)
            let stores = stores
            let writing = Task {
                try await one.transaction {
                    _ = try await one.write(
                        [Self.creation("a", "")], .action, title: "a", in: stores, at: Self.time)
                    begun.continuation.finish()
                    for await _ in over.stream {}
                }
            }
            for await _ in begun.stream {}
            let other = try ActionLog(at: url, patience: .milliseconds(50))
            #expect(await other.entries(limit: 5).map(\.title) == ["a"])
            let error = await #expect(throws: AssistantError.self) {
                try await other.write([Self.creation("b", "")], .action, title: "b", in: stores, at: Self.time)
            }
            #expect(error?.code == .storeUnavailable)
            over.continuation.finish()
            try await writing.value
            let entry = try await other.write(
                [Self.creation("b", "")], .action, title: "b", in: stores, at: Self.time)
            #expect(entry.id == 2)
        }
    }

    @Test("A log that another process has moved aside is read anew")
    func rotationElsewhere() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            let (one, other) = (try ActionLog(at: url, maxBytes: 20_000), try ActionLog(at: url, maxBytes: 20_000))
            for number in 0..<120 {
                let change = Self.creation("n\(number)", String(repeating: "x", count: 100))
                try #require(
                    try await (number % 7 == 0 ? other : one).write(
                        [change], .action, title: "\(number)", in: stores, at: Self.time
                    ).isDone)
            }
            #expect(await one.entries(limit: 1_000) == other.entries(limit: 1_000))
            #expect(await one.entries(limit: 1).first?.title == "119")
        }
    }

    @Test("An undo restores the bytes, or tells why not")
    func undo() async throws {
        try await withTemporaryDirectory { directory in
            let log = try ActionLog(at: directory.appending(path: "actions.jsonl"))
            let change = Self.creation("a", "one")
            try #require(try await log.write([change], .action, title: "", in: stores, at: Self.time).isDone)
            _ = try await log.undo(1, in: stores, at: Self.time)
            #expect(items.contents.isEmpty)
            await #expect { try await log.undo(1, in: stores, at: Self.time) } throws: {
                ($0 as? AssistantError)?.code == .invalidInput
            }
            // The undo is undone: the bytes are back, and the first entry can be undone again.
            _ = try await log.undo(2, in: stores, at: Self.time)
            #expect(items.contents.values.map { String(decoding: $0, as: UTF8.self) } == ["one"])
            items.set(StoreItem.ID(store: "notes", path: "a"), Data("two".utf8))
            await #expect { try await log.undo(1, in: stores, at: Self.time) } throws: {
                ($0 as? AssistantError)?.code == .itemChanged
            }
            #expect(items.contents.values.map { String(decoding: $0, as: UTF8.self) } == ["two"])
            await #expect { try await log.undo(99, in: stores, at: Self.time) } throws: {
                ($0 as? AssistantError)?.code == .itemNotFound
            }
        }
    }

    @Test("An entry that undoes itself and one with the last of all numbers, in a file that was edited, do no harm")
    func odd() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            let first = try ActionLog(at: url)
            _ = try await first.write([Self.creation("a", "")], .undo, title: "", undoes: 1, in: stores, at: Self.time)
            let text = try String(contentsOf: url, encoding: .utf8)
            let edited = text + text.replacing(#""entry":1,"#, with: #""entry":\#(Int.max),"#)
            try Data(edited.utf8).write(to: url)
            let log = try ActionLog(at: url)
            #expect(await log.undoing(of: 1) == nil)
            let next = try await log.write([Self.creation("b", "")], .action, title: "", in: stores, at: Self.time)
            #expect(next.id == 2)
        }
    }

    @Test("The file is bounded: it is moved aside, and the older one goes")
    func rotation() async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appending(path: "actions.jsonl")
            do {
                let log = try ActionLog(at: url, maxBytes: 20_000)
                for number in 0..<200 {
                    let change = Self.creation("n\(number)", String(repeating: "x", count: 100))
                    try #require(try await log.write([change], .action, title: "", in: stores, at: Self.time).isDone)
                }
                #expect(await log.entries(limit: 1000).count < 150)
            }
            let sizes = try [url, url.appendingPathExtension("old")].map { try Data(contentsOf: $0).count }
            #expect(sizes.allSatisfy { $0 > 0 && $0 < 11_000 }, "\(sizes)")
            let log = try ActionLog(at: url, maxBytes: 20_000)
            #expect(await log.entries(limit: 1).first?.id == 200)
            let next = try await log.write([Self.creation("z", "")], .action, title: "", in: stores, at: Self.time)
            #expect(next.id == 201)
        }
    }
}

/// What a closure saw.
private final class Seen: @unchecked Sendable {
    // Written during a call that the test waits for.
    var lines: String?
}

/// Two things of which a test learns.
private struct Signal {
    let begun = AsyncStream.makeStream(of: Never.self)
    let over = AsyncStream.makeStream(of: Never.self)
}
