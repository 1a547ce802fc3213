// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// The last tokens of a sequence, for the repetition penalty.
struct RecentTokens: Sendable {
    /// The most tokens for which memory is allocated in advance; a larger window grows with the sequence.
    private static let reserved = 1_024

    private let window: Int
    private var ring: [TokenID] = []
    private var next = 0
    /// How often each token occurs in the ring.
    private var counts: [TokenID: Int] = [:]

    init(window: Int) {
        self.window = window
        guard window > 0 else { return }
        ring.reserveCapacity(min(window, Self.reserved))
        counts.reserveCapacity(min(window, Self.reserved) + 1)
    }

    mutating func append(_ token: TokenID) {
        guard window > 0 else { return }
        counts[token, default: 0] += 1
        guard ring.count == window else { return ring.append(token) }
        let oldest = ring[next]
        ring[next] = token
        next = (next + 1) % window
        guard let count = counts[oldest] else { return }
        counts[oldest] = count > 1 ? count - 1 : nil
    }

    /// Applies the penalty once to the logit of each recent token, however often the token occurred.
    func penalize(_ logits: UnsafeMutableBufferPointer<Float>, by penalty: Float) {
        guard penalty != 1 else { return }
        for token in counts.keys where logits.indices.contains(Int(token)) {
            let logit = logits[Int(token)]
            logits[Int(token)] = logit > 0 ? logit / penalty : logit * penalty
        }
    }
}
