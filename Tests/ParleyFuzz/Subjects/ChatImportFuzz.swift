// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyRuntime

/// Damaged exports of chats: Parley's own, ChatGPT's, and lists of messages. What is imported is exported and imported
/// with the same messages.
struct ChatImportFuzz: FuzzSubject {
    static let name = "chats"

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "1e308", "-1", "\"a\"", "\"b\"", "\"parent\":\"a\",",
        "\"parent\":\"d\",", "\"children\":[\"a\"],", "\"current_node\":\"b\",", "\"role\":\"tool\",",
        "\"parts\":[{}],",
        "\"content\":null,", "\\ud800", "\"create_time\":9e99,", "\"id\":\"x\",", "\"mapping\":{},",
    ].map { Array($0.utf8) }
    private let seeds: [[UInt8]]

    init() throws {
        var chat = Chat(created: Date(timeIntervalSince1970: 1_700_000_000))
        let first = chat.append(.user("Hello"))
        chat.append(.assistant("Hi"))
        chat.branch(after: first)
        chat.append(.assistant("Good day [NOTE_ACTION:{}]"))
        let node = #"{"id":"b","parent":"a","children":["c","d"],"message":{"author":{"role":"user"},"content":"#
        seeds = [
            Array(try chat.export(.json).utf8),
            Array(
                (#"[{"title":"Trip","create_time":1700000000.5,"current_node":"d","mapping":{"a":{"id":"a","parent":null},"#
                    + #""b":\#(node){"content_type":"text","parts":["Hello"]},"create_time":1}},"#
                    + #""c":{"parent":"b","message":{"author":{"role":"assistant"},"content":{"parts":["x",{"text":"y"}]}}},"#
                    + #""d":{"parent":"b","message":{"author":{"role":"assistant"},"content":{"content_type":"code","text":"z"}}}}}]"#)
                    .utf8),
            Array(
                #"[{"role":"user","content":"Hi","date":"2026-01-01T00:00:00Z"},{"role":"assistant","content":[{"text":"Yes"}]}]"#
                    .utf8),
        ]
    }

    func run(_ random: inout SplitMix64) throws {
        let bytes = random.mutated(random.pick(seeds), changes: 8, with: Self.pieces)
        let chats: [Chat]
        do { chats = try ChatImport.chats(from: Data(bytes)) } catch { return }
        for chat in chats {
            guard let exported = try? chat.export(.json) else { continue }
            let again = try ChatImport.chats(from: Data(exported.utf8))
            guard again.first?.nodes.map(\.message.text).sorted() == chat.nodes.map(\.message.text).sorted() else {
                throw FuzzFailure("\(exported) is imported differently.")
            }
            _ = try chat.export(.markdown)
            _ = try chat.export(.text)
        }
    }
}
