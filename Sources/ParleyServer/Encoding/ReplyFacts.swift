// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// What answers tell beyond OpenAI's form: `timings` and `parley`.
enum ReplyFacts {
    /// The members for completed replies, which have one prompt in common.
    static func members(_ completions: [MessageCompletion]) -> JSONObject {
        var members: JSONObject = [:]
        members["timings"] = timings(completions.compactMap(\.stats))
        members.merge(parley(completions)) { own, _ in own }
        return members
    }

    /// The member `parley` alone, for forms that do not take any others.
    static func parley(_ completions: [MessageCompletion]) -> JSONObject {
        ["parley": .object(facts(completions))]
    }

    private static func timings(_ stats: [GenerationStats]) -> JSONValue? {
        guard let first = stats.first else { return nil }
        let read = max(first.promptTokens - first.cachedPromptTokens, 0)
        let promptTime = first.timeToFirstToken.map { $0 / .seconds(1) } ?? 0
        let predicted = stats.reduce(0) { $0 + $1.completionTokens }
        // The rate is that from the first token to the last.
        let intervals = stats.reduce(0.0) { $0 + Double(max($1.completionTokens - 1, 0)) }
        let time = stats.reduce(0.0) { sum, one in
            one.tokensPerSecond > 0 ? sum + Double(max(one.completionTokens - 1, 0)) / one.tokensPerSecond : sum
        }
        return [
            "prompt_n": .integer(read), "cache_n": .integer(first.cachedPromptTokens),
            "prompt_ms": milliseconds(promptTime), "prompt_per_second": rate(Double(read), promptTime),
            "predicted_n": .integer(predicted), "predicted_ms": milliseconds(time),
            "predicted_per_second": rate(intervals, time),
        ]
    }

    private static func milliseconds(_ seconds: Double) -> JSONValue {
        .number((seconds * 1_000_000).rounded() / 1_000)
    }

    private static func rate(_ count: Double, _ seconds: Double) -> JSONValue {
        .number(seconds > 0 ? (count / seconds * 1_000).rounded() / 1_000 : 0)
    }

    private static func facts(_ completions: [MessageCompletion]) -> JSONObject {
        var members: JSONObject = [:]
        guard let first = completions.first else { return members }
        members["seed"] = first.info.prompt.sampling?.seed.map { JSONValue($0) }
        members["dropped_turns"] = .integer(first.info.prompt.droppedTurns)
        members["dropped_images"] = .integer(first.info.prompt.droppedImages)
        members["rejected_calls"] = .array(
            completions.enumerated().flatMap { choice, completion in
                completion.info.rejectedFunctionCalls.map { rejection in
                    [
                        "choice": .integer(choice), "reason": .string("\(rejection.reason)"),
                        "message": .string(rejection.message), "text": .string(rejection.text),
                    ]
                }
            })
        return members
    }
}
