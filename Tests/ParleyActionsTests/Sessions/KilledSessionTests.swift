// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyConversation
import ParleyFiles
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite("Sessions that are killed")
struct KilledSessionTests {
    /// The number of kills; `scripts/kill-chats` runs more.
    private static let kills = ProcessInfo.processInfo.environment["PARLEY_KILLS"].flatMap { Int($0) } ?? 20
    /// After so many kills the next sessions begin anew, so that checking them does not take ever longer.
    private static let most = 25

    @Test("After kill -9 at any moment, chats are whole, stores hold what the log says, and nothing was done twice")
    func killed() async throws {
        var totals = Totals()
        var directory = try TemporaryDirectory()
        for seed in 0..<Self.kills {
            if seed % Self.most == 0 { (directory, totals.seen) = (try TemporaryDirectory(), 0) }
            let session = ActingSession(home: directory.url, seed: UInt64(seed))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = directory.url.path as String, seed = UInt64(seed) as UInt64] in
                try await ActingSession(home: URL(filePath: path), seed: seed).run()
            }
            try await check(session, &totals)
        }
        // The interval is 100 ms.
        #expect(totals.longestLoss < 1.1, "\(totals.longestLoss) s of a reply were lost")
        #expect(totals.accepted > Self.kills / 2 && totals.writes > Self.kills / 8)
        guard let report = ProcessInfo.processInfo.environment["PARLEY_KILLS_REPORT"] else { return }
        try Data((totals.text(Self.kills) + "\n").utf8).write(to: URL(filePath: report))
    }

    private struct Totals {
        var accepted = 0
        var replies = 0
        var entries = 0
        var writes = 0
        /// The number of entries in the log after the last kill.
        var seen = 0
        /// Writes of which a kill left open what became of them, and bulks of which only a part was made.
        var settledLater = 0
        var leftovers = 0
        var longestLoss = 0.0

        func text(_ kills: Int) -> String {
            """
            \(kills) kills: \(accepted) accepted messages, \(replies) whole replies, \(entries) entries of the log, \
            \(writes) writes; \(settledLater) writes were settled after a kill, \
            \(leftovers) temporary files were left; longest loss of a reply \(longestLoss) s
            """
        }
    }

    private func check(_ session: ActingSession, _ totals: inout Totals) async throws {
        let diary = try Diary.lines(session.journal)
        #expect(diary.allSatisfy { $0.kind != "error" }, "\(session.seed): \(diary.filter { $0.kind == "error" })")
        let open = try openWrites(session)
        totals.settledLater += open
        let log = try await session.runner().log
        let entries = await log.entries(limit: .max).sorted { $0.id < $1.id }
        try await check(session, entries, &totals)
        try await check(session, diary, &totals)
    }

    /// The number of intents without an outcome; every whole line of the log is read.
    private func openWrites(_ session: ActingSession) throws -> Int {
        let url = session.home.appending(path: "actions.jsonl")
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return 0 }
        var open: Set<[Int]> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let value = try JSONValue(parsing: String(line))
            let entry = try #require(value["entry"]?.integer)
            if value["kind"] == "intent" {
                for change in (value["changes"]?.array ?? []).indices { open.insert([entry, change]) }
            } else {
                open.remove([entry, try #require(value["change"]?.integer)])
            }
        }
        return open.count
    }

    // MARK: - Stores

    private func check(_ session: ActingSession, _ entries: [ActionLogEntry], _ totals: inout Totals) async throws {
        // What the log says the stores hold. Events and reminders are in one folder.
        var wanted: [String: Data] = [:]
        var doneOnce: Set<String> = []
        for (place, entry) in entries.enumerated() {
            #expect(entry.isSettled && !entry.outcomes.contains(.unclear), "\(session.seed): \(entry)")
            for change in entry.made {
                let id = try #require(change.itemID)
                wanted["\(id.store == "reminders" ? "calendar" : id.store)/\(id.path)"] = change.after?.content
                if place >= totals.seen { totals.writes += 1 }
            }
            if entry.reason == .action, !entry.made.isEmpty, let card = entry.origin?.card {
                #expect(doneOnce.insert(card).inserted, "\(session.seed): \(card) was carried out twice")
            }
        }
        totals.entries += entries.count - totals.seen
        totals.seen = entries.count
        var held: [String: Data] = [:]
        for path in try session.calendars.paths() {
            let content = try #require(try session.calendars.item(session.calendars.id(path))).content
            held["calendar/\(path)"] = content
            let calendar = try CalendarObject(reading: content)
            #expect(calendar.events.count + calendar.toDos.count == 1, "\(path)")
        }
        let notes = FolderStore(name: "notes", folder: session.notes.folder, suffix: "md", depth: 12)
        for path in try notes.paths() {
            held["notes/\(path)"] = try notes.item(notes.id(path))?.content
            #expect(try await session.notes.note(notes.id(path))?.title == String(path.dropLast(3)))
        }
        let habits = FolderStore(name: "habits", folder: session.habits.folder, suffix: "txt", depth: 1)
        for path in try habits.paths() { held["habits/\(path)"] = try habits.item(habits.id(path))?.content }
        #expect(try await session.habits.habits().count == habits.paths().count)
        #expect(held == wanted, "\(session.seed): the stores hold what the log says")
        // Whatever was created has a title of its own.
        let titles = held.filter { $0.key.hasPrefix("calendar/") }.values.compactMap { content in
            String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("SUMMARY:") }
        }
        #expect(Set(titles).count == titles.count, "\(session.seed)")
        #expect(held.keys.allSatisfy { !$0.contains(" 2.") }, "\(session.seed)")
        let all = FileManager.default.enumerator(atPath: session.home.path)?.compactMap { $0 as? String } ?? []
        totals.leftovers += all.count { $0.hasSuffix(".tmp") }
    }

    // MARK: - Chats

    private func check(
        _ session: ActingSession, _ diary: [(kind: String, rest: String)], _ totals: inout Totals
    ) async throws {
        let store = session.history
        var messages: [String: (node: ChatNode, reply: ChatNode?)] = [:]
        var replies: [String: ChatNode] = [:]
        for summary in try await store.summaries() {
            let chat = try #require(try await store.chat(summary.id))
            #expect(!chat.isUnfinished)
            for node in chat.nodes where !node.isDeleted {
                if node.message.role == .assistant { replies[node.id.uuidString] = node }
                guard node.message.role == .user else { continue }
                messages[node.message.text] = (node, chat.nodes.first { $0.parent == node.id && !$0.isDeleted })
            }
        }
        let damaged = try FileManager.default.contentsOfDirectory(atPath: session.home.appending(path: "sessions").path)
            .filter { $0.contains(".damaged-") }
        #expect(damaged.isEmpty, "\(session.seed)")
        var last: (question: String, pieces: [(time: Double, text: String)])?
        for (kind, rest) in diary {
            switch kind {
            case "asked":
                #expect(messages[rest] != nil, "\(session.seed): \(rest) was lost")
                totals.accepted += 1
                last = (rest, [])
            case "piece":
                let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
                last?.pieces.append((Double(parts[0]) ?? 0, parts.count > 1 ? Self.trimmed(parts[1]) : ""))
            case "replied":
                let parts = rest.split(separator: " ", maxSplits: 2).map(String.init)
                let reply = replies[parts[0]]
                #expect(reply?.state == .complete && reply?.cards.count == (Int(parts[1]) ?? 0) + 1, "\(rest)")
                #expect(Self.trimmed(Self.words(reply)) == (parts.count > 2 ? Self.trimmed(parts[2]) : ""))
                totals.replies += 1
                last = nil
            default: break
            }
        }
        guard let last, let killed = diary.last(where: { $0.kind == "killed" }).flatMap({ Double($0.rest) }) else {
            return
        }
        let kept = Self.trimmed(Self.words(messages[last.question]?.reply))
        let typed = last.pieces.last?.text ?? ""
        #expect(typed.hasPrefix(kept), "\(session.seed)")
        if let missing = last.pieces.first(where: { $0.text.utf8.count > kept.utf8.count }) {
            totals.longestLoss = max(totals.longestLoss, killed - missing.time)
        }
    }

    /// The text of a reply before its blocks.
    private static func words(_ reply: ChatNode?) -> String {
        String((reply?.message.text ?? "").prefix { $0 != "[" })
    }

    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
}
