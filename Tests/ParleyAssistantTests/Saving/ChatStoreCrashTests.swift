// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Chats after a crash")
struct ChatStoreCrashTests {
    @Test("Wherever a file is cut off, the other chats are whole and nothing is deleted")
    func truncated() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url.appending(path: "whole")
        var (chat, other) = (Chat(), Chat())
        other.append(.user("Other"))
        chat.append(.user("One"))
        let reply = chat.append(.assistant(""), state: .waiting)
        var pieces = ""
        do {
            let store = ChatStore(directory: folder)
            try await store.save(other)
            try await store.save(chat)
            for number in 0..<12 {
                pieces += "piece \(number) 😀 "
                chat.update(reply) {
                    $0.message.content = [.text(pieces)]
                    $0.state = .streaming
                }
                store.record(try #require(chat[reply]), in: chat.id)
                store.flush()
            }
        }
        let names = ["\(chat.id).json", "\(chat.id).journal", "index.json"]
        let contents = try names.map { try Data(contentsOf: folder.appending(path: $0)) }
        var random = SplitMix64(seed: 0xD134_2543_DE82_EF95)
        for (name, content) in zip(names, contents) {
            let cuts = Set((0..<60).map { _ in Int.random(in: 0..<content.count, using: &random) })
            for cut in cuts.sorted() {
                let copy = directory.url.appending(path: "cut")
                try? FileManager.default.removeItem(at: copy)
                try FileManager.default.copyItem(at: folder, to: copy)
                try content.prefix(cut).write(to: copy.appending(path: name))
                let store = ChatStore(directory: copy)
                let titles = try await store.summaries().map(\.title)
                #expect(titles.contains("Other"), "\(name) cut at \(cut)")
                if name.hasSuffix(".json"), name != "index.json" {
                    #expect(titles == ["Other"])
                    let aside = try FileManager.default.contentsOfDirectory(atPath: copy.path)
                        .filter { $0.hasPrefix("\(name).damaged-") }
                    #expect(aside.count == 1, "\(name) cut at \(cut)")
                    let kept = try aside.map { try Data(contentsOf: copy.appending(path: $0)) }
                    #expect(kept == [content.prefix(cut)])
                } else {
                    let read = try #require(try await store.chat(chat.id), "\(name) cut at \(cut)")
                    #expect(read.path.first?.message.text == "One")
                    let text = read[reply]?.message.text ?? ""
                    #expect(pieces.hasPrefix(text))
                    if name == "index.json" { #expect(text == pieces) }
                    #expect(!read.isUnfinished)
                }
            }
        }
    }

    /// The number of kills; `scripts/kill-chats` runs more.
    private static let kills = ProcessInfo.processInfo.environment["PARLEY_KILLS"].flatMap { Int($0) } ?? 40

    @Test("After kill -9 at any moment, every accepted message and all of a reply but its end are there")
    func killed() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.url.path
        var lost: [Double] = []
        var accepted = 0
        for seed in 0..<UInt64(Self.kills) {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, seed = seed as UInt64] in
                try await ChattingProcess(path: path, seed: seed).run()
            }
            let log = try ChattingProcess.log(path: path, seed: seed)
            let store = ChatStore(directory: directory.url.appending(path: "sessions"))
            var texts: [String: ChatNode] = [:]
            for summary in try await store.summaries() {
                let chat = try #require(try await store.chat(summary.id))
                #expect(!chat.isUnfinished)
                for node in chat.nodes where !node.isDeleted { texts[node.id.uuidString] = node }
            }
            accepted += log.accepted.count
            for (id, text) in log.accepted { #expect(texts[id]?.message.text == text, "\(seed): \(id)") }
            guard let reply = log.reply else { continue }
            let text = texts[reply.id]?.message.text ?? ""
            // What was flushed is there to the last byte; the rest may lack what came just before the kill.
            #expect(text.utf8.count >= reply.flushed, "\(seed)")
            #expect(reply.text.hasPrefix(text), "\(seed)")
            if let missing = reply.times.first(where: { $0.length > text.utf8.count }) {
                lost.append(log.killed - missing.time)
            }
        }
        // The interval is 100 ms.
        #expect((lost.max() ?? 0) < 1.1, "\(lost.max() ?? 0) s of a reply were lost")
        #expect(accepted > Self.kills)
        try ChattingProcess.report(
            "\(Self.kills) kills: \(accepted) accepted messages, longest loss \(lost.max() ?? 0) s",
            to: ProcessInfo.processInfo.environment["PARLEY_KILLS_REPORT"])
    }
}
