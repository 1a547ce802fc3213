// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime

/// Where a scripted reply is cut into tokens.
public enum TokenCuts: Hashable, Sendable {
    /// Nowhere.
    case whole
    /// Before each space.
    case words
    /// After so many Unicode scalars: in the midst of tags and of characters.
    case every(Int)
    /// After 1 to 8 scalars, at random; the same seed cuts the same text alike.
    case random(seed: UInt64)

    /// The tokens of a text.
    public func tokens(of text: String) -> [String] {
        switch self {
        case .whole: return text.isEmpty ? [] : [text]
        case .words: return words(of: text)
        case .every(let count): return pieces(of: text) { max(count, 1) }
        case .random(let seed):
            var numbers = SplitMix64(seed: seed)
            return pieces(of: text) { Int(numbers.next() % 8) + 1 }
        }
    }

    private func words(of text: String) -> [String] {
        var words: [String] = []
        for character in text {
            if character == " " || words.isEmpty { words.append("") }
            words[words.count - 1].append(character)
        }
        return words
    }

    private func pieces(of text: String, _ length: () -> Int) -> [String] {
        var rest = text.unicodeScalars[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            let piece = rest.prefix(length())
            pieces.append(String(String.UnicodeScalarView(piece)))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
