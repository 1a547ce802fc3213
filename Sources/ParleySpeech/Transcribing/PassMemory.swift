// SPDX-License-Identifier: Apache-2.0

/// What the passes over an utterance that goes on have agreed on.
///
/// Words on which two passes in a row agree are stable: later passes begin with them. The last pass's other tokens are
/// a draft, which one step of the decoder checks.
package struct PassMemory: Sendable, Equatable {
    /// Which utterance it is, by where it begins.
    package var utterance: Int
    /// Where passes begin: behind what was ``settled``.
    package var start: Int
    /// The text of what was decoded once and lies before ``start``.
    package var settled: [String] = []
    /// What the last pass heard, and where it ended.
    package var end: Int
    private var tokens: [Int32] = []
    private var wordEnds: [Int] = []
    /// How many of ``tokens`` are stable.
    private var stableCount = 0

    /// Knows nothing of an utterance yet.
    package init(utterance: Int) {
        (self.utterance, start, end) = (utterance, utterance, utterance)
    }

    /// The tokens that are forced.
    package var prefix: [Int32] { Array(tokens[..<stableCount]) }
    /// The tokens that are likely to follow.
    package var draft: [Int32] { Array(tokens[stableCount...]) }

    /// Takes the result of a pass that ended at a place.
    package mutating func pass(_ recognition: Recognition, upTo place: Int) {
        let agreed = zip(tokens, recognition.tokens).prefix { $0 == $1 }.count
        let common = Set(wordEnds).intersection(recognition.wordEnds)
        let stable = common.filter { $0 <= agreed && $0 <= recognition.tokens.count }.max() ?? 0
        stableCount = max(stable, min(stableCount, agreed))
        (tokens, wordEnds, end) = (recognition.tokens, recognition.wordEnds, place)
    }

    /// Takes the result for the utterance from its beginning up to a place, which is a pass unless passes begin later.
    package mutating func whole(_ recognition: Recognition, upTo place: Int) {
        if settled.isEmpty { pass(recognition, upTo: place) } else { end = place }
    }

    /// Takes the text of the beginning, up to a place, behind which passes go on.
    package mutating func settle(_ text: String, upTo place: Int) {
        if !text.isEmpty { settled.append(text) }
        (start, tokens, wordEnds, stableCount) = (place, [], [], 0)
    }
}
