// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport

import struct ParleyRuntime.SplitMix64

/// A process that chats until it is killed, by itself and at a random moment, and writes down what was accepted.
///
/// Most moments are counted in what it has done, so that it gets as far on a busy machine as on any; some in time, so that
/// its beginning is not spared.
struct ChattingProcess {
    private let sessions: URL
    private let diary: Diary
    private var random: SplitMix64

    init(path: String, seed: UInt64) throws {
        sessions = URL(filePath: path).appending(path: "sessions")
        diary = try Diary(Self.file(path, seed))
        random = SplitMix64(seed: seed)
    }

    /// Chats without an end.
    func run() async throws {
        var random = random
        let lines = random.next() % 4 > 0 ? Int.random(in: 0..<300, using: &random) : 0
        let life = UInt32.random(in: 0..<(lines > 0 ? 5_000 : 250_000), using: &random)
        diary.end(after: lines, microseconds: life)
        let store = ChatStore(directory: sessions)
        var chat: Chat
        if let first = try await store.summaries().first, random.next() % 4 > 0 {
            chat = try await store.chat(first.id) ?? Chat()
        } else {
            chat = Chat()
        }
        for number in 0... {
            if random.next() % 8 == 0, let question = chat.path.first(where: { $0.message.role == .user }) {
                chat.edit(question.id, to: .user("edited \(number)"))
            } else {
                chat.append(.user("message \(number)"))
            }
            let question = chat.current.flatMap { chat[$0] }
            let reply = chat.append(.assistant(""), state: .waiting)
            chat = try await store.save(chat)
            if let question { diary.write("accepted \(question.id) \(question.message.text)") }
            diary.write("reply \(reply) \(Diary.now) 0")
            var text = ""
            for _ in 0..<(random.next() % 60) {
                text += "w\(random.next() % 1_000) "
                chat.update(reply) {
                    $0.message.content = [.text(text)]
                    $0.state = .streaming
                }
                guard let node = chat[reply] else { return }
                diary.write("piece \(text.utf8.count) \(Diary.now) \(text)")
                store.record(node, in: chat.id)
                if random.next() % 16 == 0 {
                    store.flush()
                    diary.write("flushed \(text.utf8.count)")
                }
                if random.next() % 4 == 0 { usleep(UInt32(random.next() % 4_000)) }
            }
            chat.update(reply) {
                $0.message.content = [.text(text + "end")]
                $0.state = .complete
            }
            // The whole text counts as written once the process asks for it.
            diary.write("piece \(text.utf8.count + 3) \(Diary.now) \(text)end")
            chat = try await store.save(chat)
            diary.write("accepted \(reply) \(text)end")
        }
    }

    // MARK: - What was written down

    struct Log {
        struct Reply {
            var id: String
            var text = ""
            var flushed = 0
            var times: [(length: Int, time: Double)] = []
        }

        /// The texts of the accepted messages by their ids.
        var accepted: [String: String] = [:]
        /// The last reply.
        var reply: Reply?
        /// When the process was killed, in seconds.
        var killed = 0.0
    }

    static func log(path: String, seed: UInt64) throws -> Log {
        var log = Log()
        for (kind, rest) in try Diary.lines(file(path, seed)) {
            let words = rest.split(separator: " ", maxSplits: kind == "piece" ? 2 : 1).map(String.init)
            switch kind {
            case "accepted": log.accepted[words[0]] = words[1]
            case "reply": log.reply = Log.Reply(id: words[0])
            case "piece":
                log.reply?.times.append((Int(words[0]) ?? 0, Double(words[1]) ?? 0))
                log.reply?.text = words.count > 2 ? words[2] : ""
            case "flushed": log.reply?.flushed = Int(words[0]) ?? 0
            default: log.killed = Double(words[0]) ?? 0
            }
        }
        return log
    }

    /// Adds a line to a file, for the script that kills more often.
    static func report(_ line: String, to path: String?) throws {
        guard let path else { return }
        try Data((line + "\n").utf8).write(to: URL(filePath: path))
    }

    private static func file(_ path: String, _ seed: UInt64) -> URL {
        URL(filePath: path).appending(path: "log-\(seed)")
    }
}
