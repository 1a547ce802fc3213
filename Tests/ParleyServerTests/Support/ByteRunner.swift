// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// A model whose tokens are the bytes of a text.
struct ByteRunner: TokenInspecting {
    let modelID = "scripted"

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        GenerationOutcome(.stop)
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        try await promptTokens(messages: messages, functions: functions, options: options).count
    }

    func unload() async {}

    func tokens(of text: String, addsBeginning: Bool) async throws -> [Int32] {
        (addsBeginning ? [1] : []) + text.utf8.map(Int32.init)
    }

    func pieces(of tokens: [Int32]) async throws -> [[UInt8]] {
        try tokens.map { token in
            guard let byte = UInt8(exactly: token) else { throw ConversationError(.invalidInput, "No token.") }
            return [byte]
        }
    }

    func text(of tokens: [Int32]) async throws -> String {
        String(decoding: try await pieces(of: tokens).flatMap(\.self), as: UTF8.self)
    }

    func promptTokens(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> [Int32] {
        try await tokens(of: messages.map { "<\($0.role.rawValue)>\($0.text)" }.joined(), addsBeginning: false)
    }
}
