// SPDX-License-Identifier: Apache-2.0

extension Tokenizer {
    /// The tokens of a text. Neither beginning- nor end-of-text is added.
    ///
    /// The time is proportional to the text's length, except for very long words, which take O(n log n).
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - specialTokens: Whether the texts of control tokens become these tokens.
    /// - Returns: The tokens' ids.
    public func encode(_ text: String, specialTokens: SpecialTokenPolicy = .asText) -> [TokenID] {
        encode(bytes: text.utf8, specialTokens: specialTokens)
    }

    /// The tokens of bytes. Neither beginning- nor end-of-text is added.
    ///
    /// - Parameters:
    ///   - bytes: The text; it should be UTF-8 but need not be.
    ///   - specialTokens: Whether the texts of control tokens become these tokens.
    /// - Returns: The tokens' ids.
    public func encode(bytes: some Sequence<UInt8>, specialTokens: SpecialTokenPolicy = .asText) -> [TokenID] {
        encode(Array(bytes), controlTokens: specialTokens == .parsed ? .everywhere : .nowhere)
    }

    /// The tokens that only the given template may write: those that the vocabulary reserves, and the marks in the
    /// template's source. Compute this once for each template.
    package func reservedTokens(writtenBy template: String) -> ReservedTokens {
        reserved.adding(special.tokens(in: Array(template.utf8)))
    }

    /// The tokens of a prompt. Neither beginning- nor end-of-text is added.
    ///
    /// Reserved tokens are recognised only where the template wrote all of their text. Everything else is tokenised as
    /// if the segments were one text. If the input contains no text of a reserved token, the result equals that of
    /// encoding the joined text with control tokens parsed.
    ///
    /// - Parameters:
    ///   - segments: The pieces of the prompt, in order.
    ///   - reserved: The tokens that only the template may write; nil takes those that the vocabulary alone reserves.
    ///     See ``reservedTokens(writtenBy:)``.
    /// - Returns: The tokens' ids.
    package func encode(
        _ segments: some Sequence<TextSegment>, reserving reserved: ReservedTokens? = nil
    ) -> [TokenID] {
        encode(segments, reserving: reserved, watch: nil)
    }

    /// The tokens of a prompt that may be long, as ``encode(_:reserving:)`` gives them.
    ///
    /// - Parameters:
    ///   - segments: The pieces of the prompt, in order.
    ///   - reserved: As for ``encode(_:reserving:)``.
    ///   - goesOn: Called about every 64 KiB; returns whether to continue.
    /// - Returns: The tokens' ids; nil if `goesOn` returned false.
    package func encode(
        _ segments: some Sequence<TextSegment>, reserving reserved: ReservedTokens?, while goesOn: @escaping () -> Bool
    ) -> [TokenID]? {
        let watch = EncodingWatch(goesOn)
        let tokens = encode(segments, reserving: reserved, watch: watch)
        return watch.isOver ? nil : tokens
    }

    private func encode(
        _ segments: some Sequence<TextSegment>, reserving reserved: ReservedTokens?, watch: EncodingWatch?
    ) -> [TokenID] {
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
        return encode(text, controlTokens: .within(template, reserved ?? self.reserved), watch)
    }

    private func encode(
        _ text: [UInt8], controlTokens scope: SpecialTokenPartition.Scope, _ watch: EncodingWatch? = nil
    ) -> [TokenID] {
        var output: [TokenID] = []
        output.reserveCapacity(text.count / 3)
        if case .pipeline(let encoder) = encoder {
            encoder.encode(text, controlTokens: scope, with: vocabulary, watch, into: &output)
            return output
        }
        let fragments = special.fragments(of: text, controlTokens: scope)
        switch encoder {
        case .bytePair(let encoder):
            var scratch = BytePairEncoder.Scratch()
            scratch.merger.watch = watch
            for fragment in fragments {
                switch fragment {
                case .token(let id): output.append(id)
                case .text(let range):
                    let start = output.count
                    encoder.encode(text[range], with: vocabulary, using: &scratch, into: &output)
                    spellOutReserved(in: &output, from: start, scope)
                }
            }
        case .sentencePiece(let encoder):
            var scratch = SentencePieceEncoder.Scratch()
            scratch.watch = watch
            var afterText = false
            for fragment in fragments {
                switch fragment {
                case .token(let id):
                    output.append(id)
                    afterText = false
                case .text(let range):
                    let start = output.count
                    encoder.encode(
                        text[range], afterText: afterText, with: vocabulary, using: &scratch, into: &output)
                    spellOutReserved(in: &output, from: start, scope)
                    afterText = true
                }
            }
        case .wordPiece(let encoder):
            var scratch = WordPieceEncoder.Scratch()
            scratch.watch = watch
            for fragment in fragments {
                switch fragment {
                case .token(let id): output.append(id)
                case .text(let range): encoder.encode(text[range], with: vocabulary, using: &scratch, into: &output)
                }
            }
        case .pipeline: break
        }
        return output
    }

    /// Replaces reserved tokens that merging ordinary text has produced by the tokens of their characters. This happens
    /// only where the vocabulary declares such a token as an ordinary one.
    private func spellOutReserved(
        in output: inout [TokenID], from start: Int, _ scope: SpecialTokenPartition.Scope
    ) {
        guard case .within(_, let reserved) = scope,
            let first = output[start...].firstIndex(where: { isForbidden($0, reserved) })
        else { return }
        let merged = output[first...]
        output.removeSubrange(first...)
        for id in merged {
            if isForbidden(id, reserved) {
                output += characters(of: id).filter { !isForbidden($0, reserved) }
            } else {
                output.append(id)
            }
        }
    }

    /// Whether text must not become the token. Unknown characters must still become the unknown token.
    private func isForbidden(_ id: TokenID, _ reserved: ReservedTokens) -> Bool {
        reserved.isTemplates(id) && !vocabulary.attributes[Int(id)].contains(.unknown)
    }

    /// The tokens of a token's characters, or of their bytes.
    private func characters(of id: TokenID) -> [TokenID] {
        String(decoding: vocabulary.pieces[PieceID(id)], as: UTF8.self).unicodeScalars.flatMap { scalar in
            let bytes = Array(String(scalar).utf8)
            let whole = vocabulary.id(of: bytes)
            return whole == nil || whole == id ? bytes.compactMap(vocabulary.id(ofByte:)) : [whole].compactMap(\.self)
        }
    }
}
