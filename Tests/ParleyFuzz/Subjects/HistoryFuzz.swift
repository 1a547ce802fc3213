// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyConversation
import ParleyJSON
import ParleyRuntime
import ParleyTesting

/// Exported histories. An export is imported as the same history and exported to the same bytes. A damaged export is
/// refused, or is a history with the same property.
struct HistoryFuzz: FuzzSubject {
    static let name = "history"

    private static let texts = [
        "", "Hi", "\u{0}\u{1}\n\r\t\"\\/", "e\u{301}\u{301}", "\u{301}x", "😀👩‍👩‍👧", "<|im_start|>", "\u{FFFD}\u{FEFF}",
        "data:,",
        String(repeating: "long ", count: 40),
    ]
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0301", "\\ud800", "null", "0", "1e999", "-0",
        "9223372036854775808", "\"role\"", "\"user\"", "\"content\"", "\"tool_calls\"", "\"image_url\"",
        "data:image/png;base64,", ";base64", "=", "{\\\"a\\\":-0}", "\\\"a\\\":1,", "\\\"a\\\":1.50,", "\u{301}",
        #"{"type":"text","text":""},"#, #"{"role":"tool"},"#, "[[[[[[[[[[",
    ].map { Array($0.utf8) }

    private let runner = ScriptedRunner(replies: [])

    func run(_ random: inout SplitMix64) throws {
        let history = (0..<random.int(0...6)).map { _ in message(&random) }
        let exported = try Conversation(modelRunner: runner, history: history).exportToJSON()
        var expected = history
        for index in expected.indices { expected[index].rawOutput = nil }
        try check(exported, means: expected, isNewest: true)
        if random.oneIn(4) {
            let coded = try JSONEncoder().encode(history)
            guard try JSONDecoder().decode([ChatMessage].self, from: coded) == history else {
                throw FuzzFailure("\(String(decoding: coded, as: UTF8.self)) is decoded differently.")
            }
            let damaged = Data(random.mutated(Array(coded), changes: 6, with: Self.pieces))
            _ = try? JSONDecoder().decode([ChatMessage].self, from: damaged)
        }
        let damaged = Data(random.mutated(Array(exported), changes: 8, with: Self.pieces))
        do {
            let history = try Conversation(importing: damaged, modelRunner: runner).history
            try check(damaged, means: history, isNewest: false)
        } catch let error as ConversationError where error.code == .serializationFailed {}
    }

    /// Checks that data is imported as a history, and exported to the same bytes from then on.
    private func check(_ data: Data, means history: [ChatMessage], isNewest: Bool) throws {
        let imported = try Conversation(importing: data, modelRunner: runner)
        guard imported.history == history else {
            throw FuzzFailure("\(String(decoding: data, as: UTF8.self)) is imported as \(imported.history).")
        }
        let first = try imported.exportToJSON()
        guard first == data || !isNewest else {
            throw FuzzFailure("\(String(decoding: data, as: UTF8.self)) is exported differently.")
        }
        let again = try Conversation(importing: first, modelRunner: runner)
        guard again.history == history, try again.exportToJSON() == first else {
            throw FuzzFailure("\(String(decoding: first, as: UTF8.self)) changes with every export.")
        }
    }

    private func message(_ random: inout SplitMix64) -> ChatMessage {
        func text(_ random: inout SplitMix64) -> String {
            (0..<random.int(0...2)).map { _ in random.pick(Self.texts) }.joined()
        }
        func maybe(_ random: inout SplitMix64) -> String? { random.oneIn(2) ? text(&random) : nil }
        let content = (0..<random.int(0...3)).map { _ in part(&random, text(&random)) }
        let calls = (0..<random.int(0...2)).map { _ in
            FunctionCall(id: text(&random), name: text(&random), arguments: object(&random, depth: 3))
        }
        return ChatMessage(
            role: random.pick(ChatMessageRole.allCases), content: content, reasoningContent: maybe(&random),
            functionCalls: random.oneIn(2) ? calls : nil, functionCallID: maybe(&random), name: maybe(&random),
            rawOutput: maybe(&random))
    }

    private func part(_ random: inout SplitMix64, _ text: String) -> ChatMessageContent {
        let bytes = (0..<random.int(0...12)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return switch random.int(0...5) {
        case 0: .image(Data([0xFF, 0xD8, 0xFF] + bytes))
        case 1: .image(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + bytes))
        case 2: .audio(Data(bytes))
        default: .text(text)
        }
    }

    private func object(_ random: inout SplitMix64, depth: Int) -> JSONObject {
        var members: JSONObject = [:]
        for _ in 0..<random.int(0...3) { members[random.pick(Self.texts)] = value(&random, depth: depth) }
        return members
    }

    private func value(_ random: inout SplitMix64, depth: Int) -> JSONValue {
        switch random.int(0...(depth > 0 ? 6 : 4)) {
        case 0: return .null
        case 1: return .bool(random.oneIn(2))
        case 2: return .integer(Int(bitPattern: UInt(random.hostileInteger())))
        case 3:
            let number = Double(bitPattern: random.oneIn(2) ? random.next() : random.hostileInteger() << 52)
            return .number(number.isFinite ? number : 0.5)
        case 4: return .string(random.pick(Self.texts))
        case 5: return .array((0..<random.int(0...3)).map { _ in value(&random, depth: depth - 1) })
        default: return .object(object(&random, depth: depth - 1))
        }
    }
}
