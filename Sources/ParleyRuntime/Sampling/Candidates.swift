// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import HeapModule
import ParleyTokenizer

/// The tokens still in the draw, likeliest first; equal logits stand in order of token.
struct Candidates: Sendable {
    private struct Candidate: Comparable {
        var token: TokenID
        var logit: Float
        /// Relative to the likeliest: `exp(logit - largest)`.
        var weight: Float = 0

        /// The less likely candidate is the smaller; of equals, the one of higher number.
        static func < (left: Candidate, right: Candidate) -> Bool {
            left.logit < right.logit || (left.logit == right.logit && left.token > right.token)
        }
    }

    private var sorted: [Candidate] = []
    private var best = Heap<Candidate>()
    /// The sum of weights of all candidates, also of those that top-p has not looked at.
    private var total: Double = 0

    /// Takes the `count` likeliest tokens, or all where it is 0. Logits of minus infinity never enter.
    mutating func fill(from logits: UnsafeMutableBufferPointer<Float>, keeping count: Int) {
        sorted.removeAll(keepingCapacity: true)
        if count > 0, count < logits.count {
            fillTop(count, from: logits)
        } else {
            for token in logits.indices where logits[token] > -.infinity {
                sorted.append(Candidate(token: TokenID(token), logit: logits[token]))
            }
            sorted.sort(by: >)
        }
        guard let largest = sorted.first?.logit else { return }
        total = 0
        for index in sorted.indices {
            sorted[index].weight = exp(sorted[index].logit - largest)
            total += Double(sorted[index].weight)
        }
    }

    /// Keeps the smallest prefix whose probability reaches `topP`, at least one.
    mutating func keep(topP: Float) {
        guard topP < 1 else { return }
        var sum = 0.0
        for index in sorted.indices {
            sum += Double(sorted[index].weight)
            if sum >= Double(topP) * total {
                sorted.removeSubrange((index + 1)...)
                return
            }
        }
    }

    /// Keeps what is at least `minP` times as likely as the likeliest.
    mutating func keep(minP: Float) {
        guard minP > 0, let end = sorted.firstIndex(where: { $0.weight < minP }) else { return }
        sorted.removeSubrange(max(end, 1)...)
    }

    /// Draws with probabilities in proportion to `exp(logit / temperature)`.
    ///
    /// - Parameter unit: a random number from 0 up to, not including, 1.
    mutating func draw(temperature: Float, unit: Double) -> TokenID {
        guard let largest = sorted.first?.logit else { return 0 }
        var sum = 0.0
        for index in sorted.indices {
            sorted[index].weight = exp((sorted[index].logit - largest) / temperature)
            sum += Double(sorted[index].weight)
        }
        var rest = unit * sum
        for candidate in sorted {
            rest -= Double(candidate.weight)
            if rest < 0 { return candidate.token }
        }
        return sorted[sorted.count - 1].token
    }

    private mutating func fillTop(_ count: Int, from logits: UnsafeMutableBufferPointer<Float>) {
        best.removeAll { _ in true }
        scan(logits, above: -.infinity) { token, logit in
            let candidate = Candidate(token: TokenID(token), logit: logit)
            if best.count < count { best.insert(candidate) } else { best.replaceMin(with: candidate) }
            return best.count < count ? -.infinity : best.min?.logit ?? -.infinity
        }
        sorted.append(contentsOf: best.unordered)
        sorted.sort(by: >)
    }
}
