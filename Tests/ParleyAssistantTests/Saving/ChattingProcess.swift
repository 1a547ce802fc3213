// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation

import struct ParleyRuntime.SplitMix64

/// A process that chats until it is killed, by itself and at a random moment, and writes down what was accepted.
struct ChattingProcess {
    private let sessions: URL
    private let log: FileHandle
    private var random: SplitMix64

    init(path: String, seed: UInt64) throws {
        sessions = URL(filePath: path).appending(path: "sessions")
        let file = Self.file(path, seed)
        try Data().write(to: file)
        log = try FileHandle(forWritingTo: file)
        random = SplitMix64(seed: seed)
    }

    /// Chats without an end.
    func run() async throws {
        var random = random
        let life = UInt32.random(in: 0..<250_000, using: &random)
        let log = log
        let killer = Thread {
            usleep(life)
            Self.write("killed \(Self.now)", to: log)
            kill(getpid(), SIGKILL)
        }
        killer.start()
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
            if let question { Self.write("accepted \(question.id) \(question.message.text)", to: log) }
            Self.write("reply \(reply) \(Self.now) 0", to: log)
            var text = ""
            for _ in 0..<(random.next() % 60) {
                text += "w\(random.next() % 1_000) "
                chat.update(reply) {
                    $0.message.content = [.text(text)]
                    $0.state = .streaming
                }
                guard let node = chat[reply] else { return }
                Self.write("piece \(text.utf8.count) \(Self.now) \(text)", to: log)
                store.record(node, in: chat.id)
                if random.next() % 16 == 0 {
                    store.flush()
                    Self.write("flushed \(text.utf8.count)", to: log)
                }
                if random.next() % 4 == 0 { usleep(UInt32(random.next() % 4_000)) }
            }
            chat.update(reply) {
                $0.message.content = [.text(text + "end")]
                $0.state = .complete
            }
            // The whole text counts as written once the process asks for it.
            Self.write("piece \(text.utf8.count + 3) \(Self.now) \(text)end", to: log)
            chat = try await store.save(chat)
            Self.write("accepted \(reply) \(text)end", to: log)
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
        for line in try String(contentsOf: file(path, seed), encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words[0] {
            case "accepted": log.accepted[words[1]] = words[2]
            case "reply": log.reply = Log.Reply(id: words[1])
            case "piece":
                let rest = words[2].split(separator: " ", maxSplits: 1).map(String.init)
                log.reply?.times.append((Int(words[1]) ?? 0, Double(rest[0]) ?? 0))
                log.reply?.text = rest.count > 1 ? rest[1] : ""
            case "flushed": log.reply?.flushed = Int(words[1]) ?? 0
            default: log.killed = Double(words[1]) ?? 0
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

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// Writes a line in one call, so that a kill cuts none.
    private static func write(_ line: String, to log: FileHandle) {
        let bytes = Array((line + "\n").utf8)
        _ = Foundation.write(log.fileDescriptor, bytes, bytes.count)
    }
}
