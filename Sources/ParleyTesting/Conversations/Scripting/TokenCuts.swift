// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime

/// The way in which a scripted reply is divided into tokens.
public enum TokenCuts: Hashable, Sendable {
    /// The whole text is one token.
    case whole
    /// A token begins at each space.
    case words
    /// Each token has this many Unicode scalars, so that cuts also occur within tags and characters.
    case every(Int)
    /// Tokens have 1 to 8 Unicode scalars at random; the same seed always divides a text in the same way.
    case random(seed: UInt64)

    /// Divides a text into tokens.
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
