// SPDX-License-Identifier: Apache-2.0

extension Tokenizer {
    /// The bytes of a token: often whole characters, but possibly a part of one.
    ///
    /// - Parameters:
    ///   - id: The token.
    ///   - showsControlTokens: Whether control tokens are shown by their spelling; otherwise they give no text.
    /// - Returns: The bytes; empty for tokens without text and for ids beyond the vocabulary.
    public func bytes(of id: TokenID, showsControlTokens: Bool = false) -> [UInt8] {
        guard vocabulary.contains(id) else { return [] }
        let attributes = vocabulary.attributes[Int(id)]
        let text = vocabulary.pieces[PieceID(id)]
        if !attributes.isDisjoint(with: [.control, .unknown]) { return showsControlTokens ? Array(text) : [] }
        if attributes.contains(.userDefined) { return Array(text) }
        if attributes.contains(.normal) {
            switch encoder {
            case .pipeline(let encoder): return encoder.pipeline.decoder.bytes(of: text)
            case .bytePair(let encoder) where encoder.preTokenizer.isByteLevel: return ByteAlphabet.decode(text)
            default: return text.unescapingSpaces()
            }
        }
        return attributes.contains(.byte) ? UInt8(spelledBy: text).map { [$0] } ?? [] : []
    }

    /// The text of tokens.
    ///
    /// - Parameters:
    ///   - ids: The tokens; those beyond the vocabulary have no text.
    ///   - showsControlTokens: Whether control tokens are shown by their spelling; otherwise they give no text.
    /// - Returns: The text; invalid UTF-8 becomes U+FFFD.
    public func decode(_ ids: some Sequence<TokenID>, showsControlTokens: Bool = false) -> String {
        var detokenizer = StreamingDetokenizer(self, showsControlTokens: showsControlTokens)
        var text = ""
        for id in ids { text += detokenizer.append(id) }
        return text + detokenizer.finish()
    }
}

extension ArraySlice<UInt8> {
    /// The bytes with a space for each `▁` (U+2581).
    fileprivate func unescapingSpaces() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            if self[index] == 0xE2, index + 2 < endIndex, self[index + 1] == 0x96, self[index + 2] == 0x81 {
                result.append(0x20)
                index += 3
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }
}
