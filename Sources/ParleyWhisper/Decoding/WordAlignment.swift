// SPDX-License-Identifier: Apache-2.0

package import ParleySpeech

/// Finds when tokens were spoken, by where the decoder's attention lay while it wrote them.
///
/// The weights of the heads that follow the words are normalised, smoothed and added; the cheapest monotonic path through
/// them (dynamic time warping) says which position belongs to which token, as in OpenAI's own word times.
package enum WordAlignment {
    private static let smoothing = 7

    /// The position at which each token begins, and at last that where the last one ends.
    ///
    /// - Parameters:
    ///   - heads: for each head, the weights of each token over the positions of the sound.
    ///   - positions: how many positions the sound has.
    ///   - check: called before each head; what it throws ends the search.
    /// - Returns: one position more than there are tokens, ascending; empty if there is nothing to align.
    /// - Throws: what `check` throws.
    package static func boundaries(
        _ heads: some Sequence<[[Float]]>, positions: Int, check: () throws -> Void
    ) rethrows -> [Int] {
        var costs: [[Float]] = []
        for head in heads where !head.isEmpty && positions > 0 {
            try check()
            if costs.isEmpty { costs = head.map { _ in [Float](repeating: 0, count: positions) } }
            add(head, to: &costs)
        }
        return costs.isEmpty ? [] : path(costs)
    }

    /// The memory that the search takes for so many tokens and positions, in bytes: a head's weights, those normalised, the
    /// costs and the sums are floats, the steps are bytes.
    static func byteCount(tokens: Int, positions: Int) -> Int {
        (tokens + 1) * (positions + 1) * (4 * MemoryLayout<Float>.stride + 1)
    }

    /// Makes positions cheaper for tokens to which a head attends there.
    private static func add(_ head: [[Float]], to costs: inout [[Float]]) {
        let (tokens, positions) = (costs.count, costs[0].count)
        var normalized = head
        for position in 0..<positions {
            let mean = head.reduce(0) { $0 + $1[position] } / Float(tokens)
            let variance = head.reduce(0) { $0 + ($1[position] - mean) * ($1[position] - mean) } / Float(tokens)
            let scale = 1 / max(variance.squareRoot(), 1e-9)
            for token in 0..<tokens { normalized[token][position] = (head[token][position] - mean) * scale }
        }
        var around = [Float](repeating: 0, count: smoothing)
        for token in 0..<tokens {
            for position in 0..<positions {
                costs[token][position] -= median(normalized[token], at: position, &around)
            }
        }
    }

    /// The median of a value and those around it, for which there is room; at the ends those that are missing are mirrored.
    private static func median(_ values: [Float], at index: Int, _ around: inout [Float]) -> Float {
        let reach = smoothing / 2
        guard values.count > reach else { return values[index] }
        for offset in 0..<smoothing {
            let place = index - reach + offset
            around[offset] = values[place < 0 ? -place : place < values.count ? place : 2 * values.count - 2 - place]
        }
        around.sort()
        return around[reach]
    }

    /// Words without the pauses around their part, which the path gives to the first and the last of them.
    ///
    /// - Parameters:
    ///   - words: the words of a part, ascending.
    ///   - range: the part's times, as the model wrote them.
    /// - Returns: the words; one that lies beside the part stays where it is.
    package static func trimmed(_ words: [WordTiming], to range: Range<Duration>) -> [WordTiming] {
        var words = words
        if let first = words.first?.range, first.contains(range.lowerBound) {
            words[0].range = range.lowerBound..<first.upperBound
        }
        if let last = words.last?.range, last.lowerBound < range.upperBound, range.upperBound < last.upperBound {
            words[words.count - 1].range = last.lowerBound..<range.upperBound
        }
        return words
    }

    /// Where each token begins on the cheapest path from the first token and position to the last.
    private static func path(_ costs: [[Float]]) -> [Int] {
        let (tokens, positions) = (costs.count, costs[0].count)
        let width = positions + 1
        var sums = [Float](repeating: .infinity, count: (tokens + 1) * width)
        var steps = [UInt8](repeating: 0, count: (tokens + 1) * width)
        sums[0] = 0
        for token in 1...tokens {
            for position in 1...positions {
                let index = token * width + position
                let (diagonal, up, left) = (sums[index - width - 1], sums[index - width], sums[index - 1])
                let best = min(diagonal, up, left)
                steps[index] = best == diagonal ? 0 : best == up ? 1 : 2
                sums[index] = best + costs[token - 1][position - 1]
            }
        }
        var begins = [Int](repeating: 0, count: tokens)
        var (token, position) = (tokens, positions)
        while token > 0, position > 0 {
            begins[token - 1] = position - 1
            switch steps[token * width + position] {
            case 0: (token, position) = (token - 1, position - 1)
            case 1: token -= 1
            default: position -= 1
            }
        }
        return begins + [positions]
    }
}
