// SPDX-License-Identifier: Apache-2.0

/// Turns tokens into text as they come, in whole characters.
///
/// A token may end inside a character; its bytes then wait for the next one. The strings, joined, are those of the
/// tokens' bytes as `String(decoding:as:)` reads them: what is no UTF-8 becomes U+FFFD.
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
    /// The beginning of a character: at most three bytes between calls.
    private var pending: [UInt8] = []

    /// Begins a text.
    ///
    /// - Parameters:
    ///   - tokenizer: What the tokens come from.
    ///   - startsText: Whether the first token begins a text. Then the space that tokenizers such as Llama 2's put
    ///     before a text is removed; a continuation keeps it.
    ///   - showsControlTokens: Whether control tokens give their spelling rather than nothing.
    package init(_ tokenizer: Tokenizer, startsText: Bool = true, showsControlTokens: Bool = false) {
        self.tokenizer = tokenizer
        self.showsControlTokens = showsControlTokens
        removesSpace = startsText && tokenizer.addsSpacePrefix
    }

    /// Takes the next token.
    ///
    /// - Returns: The characters it completes; empty where there are none.
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
    /// - Returns: One U+FFFD for an incomplete character at the end, or nothing.
    package mutating func finish() -> String {
        defer { pending.removeAll() }
        return String(decoding: pending, as: UTF8.self)
    }
}
