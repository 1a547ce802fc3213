// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// The last tokens of a sequence, for the repetition penalty.
struct RecentTokens: Sendable {
    private let window: Int
    private var ring: [TokenID] = []
    private var next = 0

    init(window: Int) {
        self.window = window
        ring.reserveCapacity(window)
    }

    mutating func append(_ token: TokenID) {
        guard window > 0 else { return }
        if ring.count < window {
            ring.append(token)
        } else {
            ring[next] = token
            next = (next + 1) % window
        }
    }

    /// Makes each recent token less likely, once however often it came.
    func penalize(_ logits: UnsafeMutableBufferPointer<Float>, by penalty: Float) {
        guard penalty != 1 else { return }
        for (index, token) in ring.enumerated() where logits.indices.contains(Int(token)) {
            // 64 tokens at most by default: looking back is cheaper than a set.
            if ring[..<index].contains(token) { continue }
            let logit = logits[Int(token)]
            logits[Int(token)] = logit > 0 ? logit / penalty : logit * penalty
        }
    }
}
