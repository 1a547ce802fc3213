// SPDX-License-Identifier: Apache-2.0

extension Tokenizer {
    /// The tokens of `text`. Neither beginning- nor end-of-text is added.
    ///
    /// The cost is proportional to the text's length but for long words, where it is O(n log n).
    ///
    /// - Parameter specialTokens: Whether the texts of control tokens count as such.
    public func encode(_ text: String, specialTokens: SpecialTokenPolicy = .asText) -> [TokenID] {
        encode(bytes: text.utf8, specialTokens: specialTokens)
    }

    /// The tokens of `bytes`, which should be UTF-8 but need not be.
    ///
    /// - Parameter specialTokens: Whether the texts of control tokens count as such.
    public func encode(bytes: some Sequence<UInt8>, specialTokens: SpecialTokenPolicy = .asText) -> [TokenID] {
        encode(Array(bytes), controlTokens: specialTokens == .parsed ? .everywhere : .nowhere)
    }

    /// The tokens of a prompt. Neither beginning- nor end-of-text is added.
    ///
    /// Control tokens count only where all of their text was written by the template. Everything else is tokenised as if
    /// the segments were one text: where the input holds no control token's text, the result is that of the joined text
    /// with control tokens parsed.
    public func encode(_ segments: some Sequence<TextSegment>) -> [TokenID] {
        var text: [UInt8] = []
        var template: [Range<Int>] = []
        for segment in segments {
            let start = text.count
            text.append(contentsOf: segment.text.utf8)
            guard segment.origin == .template, text.count > start else { continue }
            if let last = template.last, last.upperBound == start {
                template[template.count - 1] = last.lowerBound..<text.count
            } else {
                template.append(start..<text.count)
            }
        }
        return encode(text, controlTokens: .within(template))
    }

    private func encode(_ text: [UInt8], controlTokens scope: SpecialTokenPartition.Scope) -> [TokenID] {
        var output: [TokenID] = []
        output.reserveCapacity(text.count / 3)
        let fragments = special.fragments(of: text, controlTokens: scope)
        switch encoder {
        case .bytePair(let encoder):
            var scratch = BytePairEncoder.Scratch()
            for fragment in fragments {
                switch fragment {
                case .token(let id): output.append(id)
                case .text(let range): encoder.encode(text[range], with: vocabulary, using: &scratch, into: &output)
                }
            }
        case .sentencePiece(let encoder):
            var scratch = SentencePieceEncoder.Scratch()
            var afterText = false
            for fragment in fragments {
                switch fragment {
                case .token(let id):
                    output.append(id)
                    afterText = false
                case .text(let range):
                    encoder.encode(
                        text[range], afterText: afterText, with: vocabulary, using: &scratch, into: &output)
                    afterText = true
                }
            }
        }
        return output
    }
}
