// SPDX-License-Identifier: Apache-2.0

/// A runner that tells of which tokens texts and prompts consist, for tools and servers; an optional capability.
public protocol TokenInspecting: ModelRunner {
    /// The tokens of a text, in which the texts of control tokens are ordinary text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - addsBeginning: whether the token that begins texts comes first, where the model has one.
    /// - Returns: the ids of the tokens.
    /// - Throws: ``ConversationError`` with code `modelNotLoaded`.
    func tokens(of text: String, addsBeginning: Bool) async throws -> [Int32]

    /// The bytes of each token, which may end inside a character; control tokens have their spelling.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded`, or `invalidInput` if an id is no token's.
    func pieces(of tokens: [Int32]) async throws -> [[UInt8]]

    /// The text of tokens; control tokens have their spelling, and what is no UTF-8 becomes U+FFFD.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded`, or `invalidInput` if an id is no token's.
    func text(of tokens: [Int32]) async throws -> String

    /// The tokens of the prompt that would be sent, including functions and the answer's schema.
    ///
    /// - Throws: ``ConversationError``.
    func promptTokens(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> [Int32]
}
