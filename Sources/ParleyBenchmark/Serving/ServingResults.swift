// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// What was measured of a runner that replies to several at a time; times are in seconds.
package struct ServingResults: Sendable {
    /// The tokens for each second of several replies at a time, by their number.
    package var speeds: [(streams: Int, tokensPerSecond: Samples)] = []
    /// The time to the first token of a prompt alone.
    package var firstToken: Samples?
    /// The time to the first token of short prompts while a long one is read and others are replied to: the 99th
    /// percentile of each repetition.
    package var shortBesideLong: Samples?
    /// The time between two pieces of the others' replies then: the 99th percentile of each repetition.
    package var gapBesideLong: Samples?
    /// The time to the first token of prompts that arrive at once and have much in common: the median of each repetition.
    package var crowdFirstToken: Samples?

    /// Creates empty results.
    package init() {}

    /// The results as a JSON object.
    package var json: JSONObject {
        let streams = speeds.map { speed -> JSONValue in
            var members: JSONObject = ["streams": .integer(speed.streams)]
            members.merge(speed.tokensPerSecond.json) { own, _ in own }
            return .object(members)
        }
        var members: JSONObject = ["tokens_per_second": .array(streams)]
        members["first_token_seconds"] = firstToken.map { .object($0.json) }
        members["short_beside_long_p99_seconds"] = shortBesideLong.map { .object($0.json) }
        members["gap_beside_long_p99_seconds"] = gapBesideLong.map { .object($0.json) }
        members["crowd_first_token_p50_seconds"] = crowdFirstToken.map { .object($0.json) }
        return members
    }
}
