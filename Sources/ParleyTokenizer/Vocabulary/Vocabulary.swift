// SPDX-License-Identifier: Apache-2.0

/// The tokens of a tokenizer: their texts, their purposes, and which of them end a generation.
struct Vocabulary: Sendable {
    /// The tokens' texts as the file spells them, then the other pieces that merging needs.
    var pieces: PieceTable
    /// How many of ``pieces`` are tokens.
    let count: Int
    /// The purposes of each token.
    private(set) var attributes: [TokenAttributes]
    /// The tokens that end a generation.
    private(set) var endOfGeneration: Set<TokenID> = []
    /// The tokens at which text is split before it is tokenised.
    private(set) var special: [TokenID] = []

    init(_ description: TokenizerDescription) throws(TokenizerError) {
        count = description.tokens.count
        guard count > 0, count <= Int(TokenID.max) / 4 else {
            throw TokenizerError(
                .invalidVocabulary,
                "The model's vocabulary has \(count) tokens. It must have at least one and fewer than 2^29.")
        }
        pieces = PieceTable(expectedCount: count + 256)
        attributes = description.tokens.map { TokenAttributes($0.kind) }
        for (id, token) in description.tokens.enumerated() {
            // An empty text cannot be looked up; llama.cpp gives such tokens a name.
            var text = token.text.isEmpty ? "[EMPTY_\(id)]" : token.text
            text.withUTF8 { _ = pieces.append($0) }
            guard !pieces.isOverloaded else { throw .overloaded }
        }
        recogniseTexts(description)
        for (id, token) in attributes.enumerated()
        where !token.isDisjoint(with: [.control, .userDefined, .unknown]) {
            special.append(TokenID(id))
        }
        recogniseStripping(description)
    }

    /// The token of these bytes as the file spells them, if there is one.
    func id(of text: some Sequence<UInt8>) -> TokenID? {
        pieces.find(text).flatMap { $0 < count ? TokenID($0) : nil }
    }

    /// The token of these bytes that ordinary text may become, if there is one.
    func wordID(of text: some Sequence<UInt8>) -> TokenID? {
        id(of: text).flatMap { isReserved(PieceID($0)) ? nil : $0 }
    }

    /// The token that stands for one byte where the vocabulary has no better one.
    func id(ofByte byte: UInt8) -> TokenID? {
        let digits = Array("0123456789ABCDEF".utf8)
        return id(of: [0x3C, 0x30, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)], 0x3E])
    }

    /// Whether there is a token of that number.
    func contains(_ id: TokenID) -> Bool {
        id >= 0 && Int(id) < count
    }

    /// Whether ordinary text must not become this piece.
    func isReserved(_ piece: PieceID) -> Bool {
        piece < count && attributes[Int(piece)].contains(.reserved)
    }

    // MARK: Tokens known by their text

    /// Marks special tokens that files fail to mark, and collects those that end a generation, by llama.cpp's rules.
    private mutating func recogniseTexts(_ description: TokenizerDescription) {
        for texts in WellKnownTokens.fillInMiddle {
            // Each role has one token: the first candidate in the vocabulary.
            guard let id = texts.compactMap({ id(of: $0.utf8) }).min() else { continue }
            attributes[Int(id)].insert(.control)
            if texts == WellKnownTokens.padding || texts == WellKnownTokens.repository
                || texts == WellKnownTokens.fileSeparator
            {
                endOfGeneration.insert(id)
            }
        }
        for text in WellKnownTokens.endOfGeneration {
            guard let id = id(of: text.utf8) else { continue }
            attributes[Int(id)].insert(.control)
            endOfGeneration.insert(id)
        }
        for text in WellKnownTokens.channelMarks {
            if let id = id(of: text.utf8) { setKind(.userDefined, of: id) }
        }
        let defaultEnd: TokenID? = description.algorithm == .sentencePiece ? 2 : nil
        let named = [description.endOfText ?? defaultEnd, description.endOfTurn, description.endOfMessage]
        for case .some(let id) in named + description.fillInMiddleEnds where contains(id) { endOfGeneration.insert(id) }

        // If the vocabulary has other tokens that end a call or an answer, these two only separate the parts of a
        // reply.
        func ends(_ text: String) -> Bool { id(of: text.utf8).map { endOfGeneration.contains($0) } ?? false }
        let calls = ends("<|call|>") || ends("<|calls|>")
        if calls, ends("<|return|>") || ends("<|flush|>"), let id = id(of: "<|end|>".utf8) {
            endOfGeneration.remove(id)
            setKind(.userDefined, of: id)
        }
        if ends("<|tool_response>") || ends("<|plamo:eos|>"), ends("</s>"), let id = id(of: "</s>".utf8) {
            endOfGeneration.remove(id)
            setKind(.normal, of: id)
        }
    }

    /// Gives the token that kind; a token that the file reserves stays reserved.
    private mutating func setKind(_ kind: TokenAttributes, of id: TokenID) {
        attributes[Int(id)].formIntersection(.reserved)
        attributes[Int(id)].insert(kind)
    }

    /// Marks the special tokens of some models that absorb the white space beside them, which their files do not say.
    private mutating func recogniseStripping(_ description: TokenizerDescription) {
        if case .bytePairEncoding(let name) = description.algorithm,
            ["jina-v2-de", "jina-v2-es", "jina-v2-code"].contains(where: name.contains)
        {
            if let id = id(of: "<mask>".utf8) { attributes[Int(id)].insert(.stripsLeft) }
            return
        }
        let model = description.modelName?.lowercased() ?? ""
        if model.contains("phi-3") || model.contains("phi3") {
            for id in special { attributes[Int(id)].insert(.stripsRight) }
            for text in ["<unk>", "<s>", "<|endoftext|>"] {
                if let id = id(of: text.utf8) { attributes[Int(id)].remove(.stripsRight) }
            }
        } else if model.contains("modern-bert"), let id = id(of: "[MASK]".utf8) {
            attributes[Int(id)].insert(.stripsLeft)
        }
    }
}

extension UInt8 {
    /// The byte that a text such as `<0x0A>` spells, as ``Vocabulary/id(ofByte:)`` writes it; nil if it spells none.
    init?(spelledBy text: ArraySlice<UInt8>) {
        let digits = text.dropFirst(3).dropLast()
        guard text.starts(with: "<0x".utf8), text.last == UInt8(ascii: ">"), digits.count == 2,
            digits.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 & 0xDF }),
            let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        self = byte
    }
}
