// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import ParleyTokenizer
import Synchronization

/// Converts tokens to text and text to tokens.
package final class TextPieces: Sendable {
    private let pieces: [[UInt8]]
    /// Made when the first text is to become tokens, which short recordings without a prompt never need.
    private let tokenizer = Mutex<Tokenizer?>(nil)

    package init(_ pieces: [[UInt8]]) {
        self.pieces = pieces
    }

    /// The token that spells exactly this; none or one.
    package func ids(spelled text: String) -> [Int32] {
        pieces.firstIndex { $0.elementsEqual(text.utf8) }.map { [Int32($0)] } ?? []
    }

    /// The text of tokens; those of no text give none.
    package func text(_ tokens: some Sequence<Int32>) -> String {
        var bytes: [UInt8] = []
        for token in tokens where pieces.indices.contains(Int(token)) { bytes += pieces[Int(token)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// After how many of the tokens each word ends, in the language of the text.
    package func wordEnds(_ tokens: [Int32], language: String) -> [Int] {
        let hasBlanks = WrittenLanguage.hasBlanks(language)
        var ends: [Int] = []
        var pending: [UInt8] = []
        for (index, token) in tokens.enumerated() {
            guard pieces.indices.contains(Int(token)) else { continue }
            pending += pieces[Int(token)]
            let next = index + 1 < tokens.count ? tokens[index + 1] : nil
            // A blank begins a word also behind bytes that are no text.
            let begins = next.map { pieces.indices.contains(Int($0)) && pieces[Int($0)].first == 0x20 } ?? true
            if begins || !hasBlanks && isWord(pending, before: next) {
                ends.append(index + 1)
                pending.removeAll()
            }
        }
        return ends
    }

    /// Whether bytes are a word where no blanks are written: whole characters that do not belong to what follows, and to
    /// which the next token does not belong.
    private func isWord(_ bytes: [UInt8], before next: Int32?) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self), !text.allSatisfy(Self.opening.contains) else {
            return false
        }
        let behind = next.flatMap { token in
            pieces.indices.contains(Int(token)) ? String(validating: pieces[Int(token)], as: UTF8.self)?.first : nil
        }
        return behind.map { !Self.closing.contains($0) } ?? true
    }

    /// Marks that belong to the word behind them, and those that belong to the word before them.
    private static let opening = Set("“‘「『《〈（【([{")
    private static let closing = Set("”’」』》〉）】)]}。、，．！？：；…,.!?:;%။၊។།")

    /// The tokens of a text, which begins with a space as every text of Whisper's does.
    ///
    /// - Throws: `SpeechError`, if the vocabulary cannot be used.
    package func tokens(_ text: String) throws -> [Int32] {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? [] : try loadedTokenizer().encode(" " + words)
    }

    private func loadedTokenizer() throws -> Tokenizer {
        try tokenizer.withLock { tokenizer in
            if let tokenizer { return tokenizer }
            do {
                let made = try Tokenizer(description)
                tokenizer = made
                return made
            } catch {
                throw SpeechError(.unsupportedModel, "The speech model's vocabulary: \(error)", cause: error)
            }
        }
    }

    /// GPT-2's tokenizer, whose merges follow from the numbers of the tokens.
    private var description: TokenizerDescription {
        let tokens = pieces.map { piece in
            var spelling: [UInt8] = []
            for byte in piece { ByteAlphabet.append(byte, to: &spelling) }
            return TokenizerDescription.Token(text: String(decoding: spelling, as: UTF8.self))
        }
        return TokenizerDescription(algorithm: .numberedBytePairs(preTokenizer: "gpt-2"), tokens: tokens)
    }
}
