// SPDX-License-Identifier: Apache-2.0

/// BERT's WordPiece: words, without accents and in lower case, become the longest tokens that spell them, from left to
/// right ([Devlin et al., 2018](https://arxiv.org/abs/1810.04805)).
///
/// In model files a token that begins a word starts with `▁`, and one that continues a word has no mark.
struct WordPieceEncoder: Sendable {
    /// A longer word becomes the unknown token without being looked up, as in the reference implementation.
    static let longestWord = 100

    private static let mark: [UInt8] = [0xE2, 0x96, 0x81]
    private let unknown: TokenID?

    /// Working memory that one call of `encode` reuses for all texts.
    struct Scratch {
        /// ``WordPieceEncoder/mark`` and the word that is being read.
        fileprivate var word = WordPieceEncoder.mark
        fileprivate var characters = 0
        var watch: EncodingWatch?
    }

    init(_ description: TokenizerDescription, vocabulary: Vocabulary) {
        unknown = description.unknown.flatMap { vocabulary.contains($0) ? $0 : nil } ?? vocabulary.id(of: "[UNK]".utf8)
    }

    /// Appends the tokens of `bytes` to `output`; invalid UTF-8 is left out, as the reference leaves out U+FFFD.
    func encode(
        _ bytes: ArraySlice<UInt8>, with vocabulary: Vocabulary, using scratch: inout Scratch,
        into output: inout [TokenID]
    ) {
        let table = BERTCharacters.standard
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            table.forEach(of: scalar) { kind, scalar in
                switch kind {
                case .keep: scratch.append(scalar)
                case .remove: break
                case .space: endWord(with: vocabulary, using: &scratch, into: &output)
                case .isolate:
                    endWord(with: vocabulary, using: &scratch, into: &output)
                    scratch.append(scalar)
                    endWord(with: vocabulary, using: &scratch, into: &output)
                }
            }
            if scratch.watch?.isOver == true { break }
        }
        endWord(with: vocabulary, using: &scratch, into: &output)
    }

    /// Appends the tokens of the word that has been read, and begins the next one.
    private func endWord(with vocabulary: Vocabulary, using scratch: inout Scratch, into output: inout [TokenID]) {
        guard scratch.characters > 0 else { return }
        let start = output.count
        if scratch.characters > Self.longestWord || !split(scratch.word, with: vocabulary, into: &output) {
            output.removeSubrange(start...)
            if let unknown { output.append(unknown) }
        }
        _ = scratch.watch?.ends(after: scratch.word.count)
        scratch.word.removeSubrange(Self.mark.count...)
        scratch.characters = 0
    }

    /// Appends the longest tokens that spell the word, one after the other; returns false where there is none.
    private func split(_ word: [UInt8], with vocabulary: Vocabulary, into output: inout [TokenID]) -> Bool {
        word.withUnsafeBufferPointer { word in
            var start = 0
            while start < word.count {
                // The mark alone does not begin a word. Where a word has the mark's character inside, only the token of
                // that character goes on with it: others that begin so are those for beginnings of words.
                let shortest = start == 0 ? Self.mark.count + 1 : start + 1
                let isMark = start > 0 && word[start...].starts(with: Self.mark)
                let longest = isMark ? Self.mark.count : vocabulary.pieces.maximumLength
                var end = min(word.count, start + longest)
                while true {
                    while end < word.count, word[end] & 0xC0 == 0x80 { end -= 1 }
                    guard end >= shortest else { return false }
                    let piece = vocabulary.pieces.find(UnsafeBufferPointer(rebasing: word[start..<end]))
                    if let piece, !vocabulary.isReserved(piece) {
                        output.append(TokenID(piece))
                        break
                    }
                    end -= 1
                }
                start = end
            }
            return true
        }
    }
}

extension WordPieceEncoder.Scratch {
    /// Adds a character to the word. Beyond the longest word only the number of characters counts.
    fileprivate mutating func append(_ scalar: Unicode.Scalar) {
        characters += 1
        if characters <= WordPieceEncoder.longestWord { word.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
    }
}
