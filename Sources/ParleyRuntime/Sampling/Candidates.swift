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

/// The tokens that may still be drawn. They are sorted only where a filter needs it: the likeliest first, equal logits
/// in order of token.
struct Candidates: Sendable {
    private struct Candidate: Comparable {
        var token: TokenID
        var logit: Float
        /// Relative to the likeliest: `exp(logit - largest)`.
        var weight: Float = 0

        /// The less likely candidate is the smaller; of equals, the one with the higher id.
        static func < (left: Candidate, right: Candidate) -> Bool {
            left.logit < right.logit || (left.logit == right.logit && left.token > right.token)
        }
    }

    private var kept: [Candidate] = []
    private var isSorted = false
    private var heap = Heap<Candidate>()
    private var largest: Float = 0
    /// The sum of weights of all candidates, also of those that top-p has left out.
    private var total: Double = 0

    /// Takes the `count` likeliest tokens, or all where it is 0, without logits of minus infinity and NaN.
    mutating func fill(from logits: UnsafeMutableBufferPointer<Float>, keeping count: Int) {
        kept.removeAll(keepingCapacity: true)
        isSorted = count > 0 && count < logits.count
        if isSorted {
            fillTop(count, from: logits)
        } else {
            for token in logits.indices where logits[token] > -.infinity {
                kept.append(Candidate(token: TokenID(token), logit: logits[token]))
            }
        }
        largest = kept.reduce(-.infinity) { max($0, $1.logit) }
        total = 0
        for index in kept.indices {
            kept[index].weight = weight(of: kept[index].logit)
            total += Double(kept[index].weight)
        }
    }

    /// Keeps the smallest set of likeliest tokens whose probability reaches `topP`, at least one.
    mutating func keep(topP: Float) {
        guard topP < 1 else { return }
        let wanted = Double(topP) * total
        var sum = 0.0
        if isSorted {
            for index in kept.indices {
                sum += Double(kept[index].weight)
                if sum >= wanted { return kept.removeSubrange((index + 1)...) }
            }
        } else {
            // Few of many are kept, so a heap yields them in order without sorting the rest.
            clearHeap()
            for candidate in kept { heap.insert(candidate) }
            kept.removeAll(keepingCapacity: true)
            isSorted = true
            while kept.isEmpty || sum < wanted, let candidate = heap.popMax() {
                kept.append(candidate)
                sum += Double(candidate.weight)
            }
        }
    }

    /// Keeps tokens at least `minP` times as likely as the likeliest.
    mutating func keep(minP: Float) {
        guard minP > 0 else { return }
        kept.removeAll { $0.weight < minP }
    }

    /// Draws with probabilities in proportion to `exp(logit / temperature)`, by a random number `unit` from 0 up to,
    /// not including, 1; nil where there is no candidate.
    mutating func draw(temperature: Float, unit: Double) -> TokenID? {
        guard let last = kept.last else { return nil }
        var sum = 0.0
        for index in kept.indices {
            kept[index].weight = weight(of: kept[index].logit, temperature: temperature)
            sum += Double(kept[index].weight)
        }
        var rest = unit * sum
        for candidate in kept {
            rest -= Double(candidate.weight)
            if rest < 0 { return candidate.token }
        }
        return last.token
    }

    /// Relative to the likeliest, also where that is infinite.
    private func weight(of logit: Float, temperature: Float = 1) -> Float {
        logit == largest ? 1 : exp((logit - largest) / temperature)
    }

    private mutating func fillTop(_ count: Int, from logits: UnsafeMutableBufferPointer<Float>) {
        clearHeap()
        scan(logits, above: -.infinity) { token, logit in
            let candidate = Candidate(token: TokenID(token), logit: logit)
            if heap.count < count { heap.insert(candidate) } else { heap.replaceMin(with: candidate) }
            return heap.count < count ? -.infinity : heap.min?.logit ?? -.infinity
        }
        while let candidate = heap.popMax() { kept.append(candidate) }
    }

    /// Empties the heap, whose memory stays.
    private mutating func clearHeap() {
        heap.removeAll { _ in true }
    }
}
