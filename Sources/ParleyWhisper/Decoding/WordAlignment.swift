// SPDX-License-Identifier: Apache-2.0

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
    /// - Returns: one position more than there are tokens, ascending; empty if there is nothing to align.
    package static func boundaries(_ heads: [[[Float]]], positions: Int) -> [Int] {
        guard let tokens = heads.first?.count, tokens > 0, positions > 0 else { return [] }
        var costs = [[Float]](repeating: [Float](repeating: 0, count: positions), count: tokens)
        for head in heads {
            var normalized = costs.map { _ in [Float](repeating: 0, count: positions) }
            for position in 0..<positions {
                let column = head.map { $0[position] }
                let mean = column.reduce(0, +) / Float(tokens)
                let variance = column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(tokens)
                let scale = 1 / max(variance.squareRoot(), 1e-9)
                for token in 0..<tokens { normalized[token][position] = (column[token] - mean) * scale }
            }
            for token in 0..<tokens {
                for (position, value) in median(normalized[token]).enumerated() { costs[token][position] -= value }
            }
        }
        return path(costs)
    }

    /// Each value replaced by the median of those around it; at the ends those that are missing are mirrored.
    private static func median(_ values: [Float]) -> [Float] {
        let reach = smoothing / 2
        guard values.count > reach else { return values }
        return values.indices.map { index in
            let around = (index - reach...index + reach).map { place in
                values[place < 0 ? -place : place < values.count ? place : 2 * values.count - 2 - place]
            }
            return around.sorted()[reach]
        }
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
