// SPDX-License-Identifier: Apache-2.0

/// Converts tokens to text and text to tokens.
package struct TextPieces: Sendable {
    /// Languages written without spaces between words.
    private static let withoutSpaces: Set<String> = ["zh", "ja", "th", "lo", "my", "yue", "km"]

    private let pieces: [[UInt8]]
    private let ids: [[UInt8]: Int32]

    package init(_ pieces: [[UInt8]]) {
        self.pieces = pieces
        var ids: [[UInt8]: Int32] = [:]
        ids.reserveCapacity(pieces.count)
        // A piece that occurs twice has its first number.
        for (id, piece) in pieces.enumerated() where ids[piece] == nil { ids[piece] = Int32(id) }
        self.ids = ids
    }

    /// The token that spells exactly this; none or one.
    package func ids(spelled text: String) -> [Int32] { ids[Array(text.utf8)].map { [$0] } ?? [] }

    /// The text of tokens; those of no text give none.
    package func text(_ tokens: some Sequence<Int32>) -> String {
        var bytes: [UInt8] = []
        for token in tokens where pieces.indices.contains(Int(token)) { bytes += pieces[Int(token)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// After how many of the tokens each word ends.
    package func wordEnds(_ tokens: [Int32], language: String) -> [Int] {
        var ends: [Int] = []
        var pending: [UInt8] = []
        for (index, token) in tokens.enumerated() {
            guard pieces.indices.contains(Int(token)) else { continue }
            pending += pieces[Int(token)]
            guard String(validating: pending, as: UTF8.self) != nil else { continue }
            let isLast = index == tokens.count - 1
            let next = isLast ? nil : tokens[index + 1]
            let begins = next.map { pieces.indices.contains(Int($0)) && pieces[Int($0)].first == 0x20 } ?? true
            if begins || Self.withoutSpaces.contains(language) {
                ends.append(index + 1)
                pending.removeAll()
            }
        }
        return ends
    }

    /// The tokens of a text, which begins with a space as every text of Whisper's does.
    package func tokens(_ text: String) -> [Int32] {
        let trimmed = text.split(whereSeparator: \.isWhitespace)
        return trimmed.flatMap { word in merged([0x20] + Array(word.utf8.prefix(256))) }
    }

    /// The tokens of a word: the pair that makes the lowest token is merged first.
    private func merged(_ word: [UInt8]) -> [Int32] {
        var parts = word.map { [$0] }
        while parts.count > 1 {
            var best: (index: Int, id: Int32)?
            for index in 0..<parts.count - 1 {
                if let id = ids[parts[index] + parts[index + 1]], id < best?.id ?? .max { best = (index, id) }
            }
            guard let best else { break }
            parts[best.index] += parts[best.index + 1]
            parts.remove(at: best.index + 1)
        }
        return parts.compactMap { ids[$0] }
    }
}
