// SPDX-License-Identifier: Apache-2.0

/// Converts tokens to text one at a time, without splitting characters.
///
/// A token may end inside a character; its last bytes are then held back until the next token. The strings, joined,
/// equal the bytes of all tokens decoded with `String(decoding:as:)`: invalid UTF-8 becomes U+FFFD.
///
/// ```swift
/// var detokenizer = StreamingDetokenizer(tokenizer)
/// for id in ids { show(detokenizer.append(id)) }
/// show(detokenizer.finish())
/// ```
package struct StreamingDetokenizer: Sendable {
    private let tokenizer: Tokenizer
    private let showsControlTokens: Bool
    private var removesSpace: Bool
    /// The bytes of an incomplete character: at most three between calls.
    private var pending: [UInt8] = []

    /// Creates a detokenizer for one text.
    ///
    /// - Parameters:
    ///   - tokenizer: The tokenizer of the model that generates the tokens.
    ///   - startsText: Whether the first token begins a text. If so, the space that tokenizers such as Llama 2's add
    ///     before a text is removed; a continuation keeps it.
    ///   - showsControlTokens: Whether control tokens are shown by their spelling; otherwise they give no text.
    package init(_ tokenizer: Tokenizer, startsText: Bool = true, showsControlTokens: Bool = false) {
        self.tokenizer = tokenizer
        self.showsControlTokens = showsControlTokens
        removesSpace = startsText && tokenizer.addsSpacePrefix
    }

    /// Adds the next token.
    ///
    /// - Returns: The characters that it completes; may be empty.
    package mutating func append(_ id: TokenID) -> String {
        var bytes = tokenizer.bytes(of: id, showsControlTokens: showsControlTokens)
        if removesSpace, bytes.first == 0x20 { bytes.removeFirst() }
        removesSpace = false
        guard !bytes.isEmpty else { return "" }
        pending.append(contentsOf: bytes)
        let whole = pending.count - UTF8Boundary.incompleteSuffixLength(of: pending)
        defer { pending.removeFirst(whole) }
        return String(decoding: pending[..<whole], as: UTF8.self)
    }

    /// Ends the text.
    ///
    /// - Returns: U+FFFD if the text ends with an incomplete character, otherwise an empty string.
    package mutating func finish() -> String {
        defer { pending.removeAll() }
        return String(decoding: pending, as: UTF8.self)
    }
}
