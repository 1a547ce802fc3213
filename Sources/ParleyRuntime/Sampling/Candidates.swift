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

/// The tokens that may still be drawn.
///
/// They are sorted only if a filter needs it: by descending logit, and tokens with equal logits by ascending id.
struct Candidates: Sendable {
    private struct Candidate: Comparable {
        var token: TokenID
        var logit: Float
        /// The probability relative to the most likely token: `exp(logit - largest)`.
        var weight: Float = 0

        /// Orders by logit; of two candidates with equal logits, the one with the higher id is the smaller.
        static func < (left: Candidate, right: Candidate) -> Bool {
            left.logit < right.logit || (left.logit == right.logit && left.token > right.token)
        }
    }

    private var kept: [Candidate] = []
    private var isSorted = false
    private var heap = Heap<Candidate>()
    private var largest: Float = 0
    /// The sum of the weights of all tokens that top-k leaves; infinite where top-p needs none.
    private var total: Double = 0

    /// How far below the largest logit others may lie so as to be taken, tried in this order.
    private static let reaches: [Float] = [4, 8, 16, 32, .infinity]

    /// Takes the `topK` tokens with the largest logits, or all if it is 0, except those whose logit is NaN or minus
    /// infinity, and those that top-p and min-p, one of which is set, would remove anyway.
    mutating func fill(from logits: UnsafeMutableBufferPointer<Float>, topK: Int, topP: Float, minP: Float) {
        kept.removeAll(keepingCapacity: true)
        isSorted = topK > 0 && topK < logits.count
        if isSorted {
            fillTop(topK, from: logits)
            largest = kept.first?.logit ?? -.infinity
            total = weigh()
        } else {
            largest = Self.largestLogit(in: logits)
            total = topP < 1 ? exponentialSum(of: logits, below: largest) : .infinity
            for reach in Self.reaches {
                kept.removeAll(keepingCapacity: true)
                fill(from: logits, above: largest.isFinite && reach.isFinite ? largest - reach : -.infinity)
                // Both with a margin for rounding.
                if weigh() > Double(topP) * total * 1.000001 || exp(1 - reach) < minP { break }
            }
        }
    }

    /// Keeps the smallest set of most likely tokens whose total probability reaches `topP`, at least one token.
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
            // Few candidates of many are kept, so a heap is used to take them in order without sorting the others.
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

    /// Keeps the tokens that are at least `minP` times as likely as the most likely one.
    mutating func keep(minP: Float) {
        guard minP > 0 else { return }
        kept.removeAll { $0.weight < minP }
    }

    /// Draws a token with probability proportional to `exp(logit / temperature)`, given a random number `unit` in
    /// `0..<1`; nil if there are no candidates.
    mutating func draw(temperature: Float, unit: Double) -> TokenID? {
        guard let last = kept.last else { return nil }
        var sum = 0.0
        for index in kept.indices {
            kept[index].weight = Self.weight(of: kept[index].logit, below: largest, temperature: temperature)
            sum += Double(kept[index].weight)
        }
        var rest = unit * sum
        for candidate in kept {
            rest -= Double(candidate.weight)
            if rest < 0 { return candidate.token }
        }
        return last.token
    }

    /// Draws a token as ``draw(temperature:unit:)`` does, where no filter removes any. The weights take the place of the
    /// logits, because a list of all tokens of a large vocabulary takes longer to make than all else.
    static func draw(
        fromAll logits: UnsafeMutableBufferPointer<Float>, temperature: Float, unit: Double
    ) -> TokenID? {
        let largest = largestLogit(in: logits)
        guard largest > -.infinity else { return nil }
        var sum = 0.0
        var last = 0
        for token in logits.indices {
            var weight: Float = 0
            if logits[token] > -.infinity {
                weight = Self.weight(of: logits[token], below: largest, temperature: temperature)
                last = token
            }
            logits[token] = weight
            sum += Double(weight)
        }
        var rest = unit * sum
        for token in logits.indices {
            rest -= Double(logits[token])
            if rest < 0 { return TokenID(token) }
        }
        return TokenID(last)
    }

    /// Takes all tokens with logits above a limit.
    private mutating func fill(from logits: UnsafeMutableBufferPointer<Float>, above limit: Float) {
        scan(logits, above: limit) { token, logit in
            kept.append(Candidate(token: TokenID(token), logit: logit))
            return limit
        }
    }

    /// Computes the weights of the candidates, and returns their sum.
    private mutating func weigh() -> Double {
        var sum = 0.0
        for index in kept.indices {
            kept[index].weight = Self.weight(of: kept[index].logit, below: largest)
            sum += Double(kept[index].weight)
        }
        return sum
    }

    /// The largest logit; minus infinity if there is no other but NaN.
    private static func largestLogit(in logits: UnsafeMutableBufferPointer<Float>) -> Float {
        var largest = -Float.infinity
        scan(logits, above: -.infinity) { _, logit in
            largest = logit
            return logit
        }
        return largest
    }

    /// The probability relative to the most likely token; defined even if that token's logit is infinite.
    private static func weight(of logit: Float, below largest: Float, temperature: Float = 1) -> Float {
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

    /// Empties the heap but keeps its memory.
    private mutating func clearHeap() {
        heap.removeAll { _ in true }
    }
}
