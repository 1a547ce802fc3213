// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The natural logarithms of the probabilities that logits stand for.
func logProbabilities(_ logits: ArraySlice<Float>) -> [Double] {
    let highest = Double(logits.max() ?? 0)
    let sum = logits.reduce(0) { $0 + exp(Double($1) - highest) }
    return logits.map { Double($0) - highest - log(sum) }
}

/// The Kullback–Leibler divergence KL(exact ‖ other) of each row, in nats.
func divergences(exact: [Float], other: [Float], columns: Int) -> [Double] {
    (0..<exact.count / columns).map { row in
        let range = row * columns..<(row + 1) * columns
        let (p, q) = (logProbabilities(exact[range]), logProbabilities(other[range]))
        return zip(p, q).reduce(0) { $0 + exp($1.0) * ($1.0 - $1.1) }
    }
}

/// The mean over rows of the Kullback–Leibler divergence KL(exact ‖ other), in nats.
func meanDivergence(exact: [Float], other: [Float], columns: Int) -> Double {
    let all = divergences(exact: exact, other: other, columns: columns)
    return all.reduce(0, +) / Double(all.count)
}
