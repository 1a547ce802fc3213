// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
package import ParleyTokenizer

/// How likely the model itself finds a token, and which ones it finds most likely in its place: the logarithms of
/// probabilities, before biases, penalties, filters and masks.
package struct TokenLikelihood: Sendable, Hashable {
    /// A token and the logarithm of its probability.
    package struct Candidate: Sendable, Hashable {
        /// The token.
        package var token: TokenID
        /// The natural logarithm of its probability; minus infinity where it is zero.
        package var logprob: Float

        /// Creates a token with its probability.
        package init(token: TokenID, logprob: Float) {
            self.token = token
            self.logprob = logprob
        }
    }

    /// The token in question.
    package var chosen: Candidate
    /// The most likely tokens, the most likely one first; of two that are equally likely the one with the lower id.
    package var top: [Candidate]

    /// Computes the likelihood of a token.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - logits: one value per token of the vocabulary; NaN counts as a probability of zero.
    ///   - count: how many of the most likely tokens to tell.
    package init(of token: TokenID, in logits: UnsafeMutableBufferPointer<Float>, top count: Int) {
        var best: [Candidate] = []
        var largest = -Float.infinity
        let kept = max(count, 0)
        scan(logits, above: -.infinity) { token, logit in
            largest = max(largest, logit)
            guard kept > 0 else { return largest }
            let place = best.firstIndex { $0.logprob < logit } ?? best.endIndex
            best.insert(Candidate(token: TokenID(token), logprob: logit), at: place)
            if best.count > kept { best.removeLast() }
            return best.count == kept ? best[kept - 1].logprob : -.infinity
        }
        let logarithm = log(exponentialSum(of: logits, below: largest))
        func logprob(_ logit: Float) -> Float {
            guard logit > -.infinity else { return -.infinity }
            // Zero also if both are infinite.
            let distance = logit == largest ? 0 : Double(logit) - Double(largest)
            return Float(distance - logarithm)
        }
        let own = logits.indices.contains(Int(token)) ? logits[Int(token)] : -.infinity
        chosen = Candidate(token: token, logprob: logprob(own))
        top = best.map { Candidate(token: $0.token, logprob: logprob($0.logprob)) }
    }
}

/// How likely the model finds each token of a prompt.
package enum PromptLikelihood {
    /// The number of tokens in a step: each has a row of logits, which are large.
    private static let chunk = 32

    /// Runs the model over a whole prompt.
    ///
    /// - Parameters:
    ///   - tokens: the prompt.
    ///   - timeline: the sequence; it contains all but the last token afterwards.
    ///   - count: how many of the most likely tokens to tell for each.
    ///   - client: whose prompt it is; engines divide their time evenly over clients.
    ///   - check: called before each step, which does not run if it throws.
    /// - Returns: the likelihood of each token but the first, before which there is nothing.
    /// - Throws: any error of the timeline's steps, including `CancellationError`, and of `check`.
    package static nonisolated(nonsending) func read(
        _ tokens: [TokenID], on timeline: any TokenTimeline, top count: Int, client: Int = 0,
        check: () throws -> Void = {}
    ) async throws -> [TokenLikelihood] {
        timeline.rewind(to: 0)
        let logits = LogitRows()
        var found: [TokenLikelihood] = []
        var start = 0
        while start < tokens.count - 1 {
            try Task.checkCancellation()
            try check()
            let end = min(start + chunk, tokens.count - 1)
            var step = TimelineStep(tokens: Array(tokens[start..<end]), positions: .all)
            (step.following, step.client) = (tokens.count - 1 - end, client)
            try await timeline.step(step, into: logits)
            for position in start..<end {
                found.append(TokenLikelihood(of: tokens[position + 1], in: logits[position - start], top: count))
            }
            start = end
        }
        return found
    }
}
