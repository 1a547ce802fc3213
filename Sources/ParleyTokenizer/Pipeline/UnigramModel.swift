// SPDX-License-Identifier: Apache-2.0

/// The most probable sequence of tokens that spells a word ([Kudo, 2018](https://arxiv.org/abs/1804.10959)).
struct UnigramModel: WordModel {
    private struct Node {
        var id: TokenID = 0
        var score = 0.0
        var start = -1
    }

    private let scores: [Double]
    private let unknown: TokenID?
    private let unknownScore: Double
    private let spellsBytes: Bool

    init(scores: [Double], unknown: TokenID?, spellsBytes: Bool, _ vocabulary: Vocabulary) throws(TokenizerError) {
        try vocabulary.requireShortTokens()
        self.scores = scores
        self.unknown = unknown
        self.spellsBytes = spellsBytes
        unknownScore = (scores.min() ?? 0) - 10
    }

    func encode(
        _ word: [Unicode.Scalar], with vocabulary: Vocabulary, _ watch: EncodingWatch?, into output: inout [TokenID]
    ) {
        let bytes = utf8(word)
        let nodes = bytes.withUnsafeBufferPointer { best(in: $0, with: vocabulary, watch) }
        var ranges: [(range: Range<Int>, isUnknown: Bool)] = []
        var end = bytes.count
        while end > 0, nodes[end].start >= 0 {
            let start = nodes[end].start
            let isUnknown = nodes[end].id == (unknown ?? -1)
            if isUnknown, let last = ranges.last, last.isUnknown {
                ranges[ranges.count - 1].range = start..<last.range.upperBound
            } else {
                ranges.append((start..<end, isUnknown))
            }
            end = start
        }
        for (range, _) in ranges.reversed() {
            let text = Array(bytes[range])
            if let id = vocabulary.wordID(of: text), Int(id) < scores.count {
                output.append(id)
            } else if spellsBytes, let ids = byteTokens(of: text, in: vocabulary) {
                output += ids
            } else if let unknown {
                output.append(unknown)
            }
        }
    }

    /// The best way to each place, as far as `watch` lets it be looked for.
    private func best(
        in text: UnsafeBufferPointer<UInt8>, with vocabulary: Vocabulary, _ watch: EncodingWatch?
    ) -> [Node] {
        var nodes = [Node](repeating: Node(), count: text.count + 1)
        var start = 0
        while start < text.count {
            var width = 1
            while start + width < text.count, text[start + width] & 0xC0 == 0x80 { width += 1 }
            if let watch, watch.ends(after: width) { return nodes }
            let score = nodes[start].score
            var hasSingle = false
            var length = width
            while length <= vocabulary.pieces.maximumLength, start + length <= text.count {
                let piece = UnsafeBufferPointer(rebasing: text[start..<start + length])
                if let id = vocabulary.pieces.find(piece), Int(id) < scores.count, !vocabulary.isReserved(id) {
                    improve(&nodes[start + length], TokenID(id), score + scores[Int(id)], from: start)
                    if length == width { hasSingle = true }
                }
                length += 1
                while start + length < text.count, text[start + length] & 0xC0 == 0x80 { length += 1 }
            }
            if !hasSingle { improve(&nodes[start + width], unknown ?? -1, score + unknownScore, from: start) }
            start += width
        }
        return nodes
    }

    private func improve(_ node: inout Node, _ id: TokenID, _ score: Double, from start: Int) {
        guard node.start < 0 || score > node.score else { return }
        node = Node(id: id, score: score, start: start)
    }
}
