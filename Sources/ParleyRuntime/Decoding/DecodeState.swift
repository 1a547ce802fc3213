// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// The part of the decode loop that is no waiting: what each token adds to the text, and when the reply ends.
struct DecodeState: Sendable {
    /// What a step of the loop has to say.
    struct Outcome: Sendable {
        var text = ""
        var finish: (FinishReason, GenerationStatistics)?

        /// This outcome and a later one as one.
        func merging(_ later: Outcome) -> Outcome {
            Outcome(text: text + later.text, finish: later.finish)
        }
    }

    private let endOfGeneration: Set<TokenID>
    private let maxTokens: Int?
    private let capacity: Int
    private let start: ContinuousClock.Instant
    private let deadline: ContinuousClock.Instant?
    private var firstToken: ContinuousClock.Instant?
    private var detokenizer: StreamingDetokenizer
    private let stops: StopStrings
    private var stopStrings: StopStringMatcher
    private var statistics: GenerationStatistics
    private let constraint: (any TokenConstraint)?

    init(
        tokenizer: Tokenizer, stop: StopRules, constraint: (any TokenConstraint)?, capacity: Int,
        statistics: GenerationStatistics, start: ContinuousClock.Instant
    ) {
        self.constraint = constraint
        endOfGeneration = tokenizer.endOfGeneration
        maxTokens = stop.maxTokens
        self.capacity = capacity
        self.start = start
        deadline = stop.deadline(from: start)
        detokenizer = StreamingDetokenizer(tokenizer, startsText: false)
        stops = StopStrings(stop.strings, tokenizer: tokenizer)
        stopStrings = StopStringMatcher(stops.strings)
        self.statistics = statistics
    }

    /// How many tokens the budget still has.
    var remainingTokens: Int { maxTokens.map { $0 - statistics.completionTokens } ?? .max }

    /// Whether the deadline has passed.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool {
        deadline.map { now >= $0 } ?? false
    }

    /// Takes the token that was drawn. Of the reasons to end, the first of the rules wins.
    ///
    /// - Parameter held: how many tokens the timeline holds; the new one is not among them.
    mutating func append(_ token: TokenID, held: Int, at now: ContinuousClock.Instant) -> Outcome {
        if firstToken == nil {
            firstToken = now
            statistics.timeToFirstToken = now - start
        }
        if endOfGeneration.contains(token) { return finish(.stop, at: now) }
        if maxTokens == 0 { return finish(.length, at: now) }
        statistics.completionTokens += 1
        constraint?.accept(token)
        let (text, found) = search(
            stops.mark(for: token).map { detokenizer.finish() + $0 } ?? detokenizer.append(token))
        if found { return Outcome(text: text, finish: (.stop, settled(at: now))) }
        let reason: FinishReason? =
            if constraint?.isComplete == true { .stop } else if statistics.completionTokens == maxTokens {
                .length
            } else if held >= capacity {
                .contextFull
            } else if isOverdue(at: now) { .timeout } else { nil }
        guard let reason else { return Outcome(text: text) }
        return Outcome(text: text).merging(finish(reason, at: now))
    }

    /// Ends the reply: what was held back is text after all, unless the end makes it part of a stop string.
    mutating func finish(_ reason: FinishReason, at now: ContinuousClock.Instant) -> Outcome {
        let (text, found) = search(detokenizer.finish())
        let rest = found ? text : text + stops.withoutMarks(stopStrings.finish())
        return Outcome(text: rest, finish: (reason, settled(at: now)))
    }

    private mutating func search(_ piece: String) -> (text: String, found: Bool) {
        let (text, found) = stopStrings.append(piece)
        return (stops.withoutMarks(text), found)
    }

    private mutating func settled(at now: ContinuousClock.Instant) -> GenerationStatistics {
        statistics.decodingTime = now - (firstToken ?? now)
        return statistics
    }
}
