// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// How often each token occurs in a reply, for the frequency and the presence penalty.
struct ReplyPenalties: Sendable {
    /// The number of tokens for which memory is allocated in advance.
    private static let reserved = 1_024

    private let frequency: Float
    private let presence: Float
    private var counts: [TokenID: Int] = [:]

    init(frequency: Float, presence: Float) {
        self.frequency = frequency
        self.presence = presence
        if isUsed { counts.reserveCapacity(Self.reserved) }
    }

    private var isUsed: Bool { frequency != 0 || presence != 0 }

    mutating func append(_ token: TokenID) {
        if isUsed { counts[token, default: 0] += 1 }
    }

    /// Lowers the logits of the reply's tokens.
    func penalize(_ logits: UnsafeMutableBufferPointer<Float>) {
        guard isUsed else { return }
        for (token, count) in counts where logits.indices.contains(Int(token)) {
            logits[Int(token)] -= Float(count) * frequency + presence
        }
    }
}
