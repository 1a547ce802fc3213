// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTensor

/// Decodes what the decoder has heard, token by token; ``BeamSearch`` follows several texts at once.
struct WindowDecoder {
    let decoder: TextDecoder
    let tokens: WhisperTokens
    let instructionSet: InstructionSet
    let textContext: Int

    /// The tokens with which a window begins.
    struct Prompt {
        /// Words that are likely to occur, without control tokens.
        var hints: [Int32] = []
        /// Text that precedes, without control tokens.
        var previous: [Int32] = []
        var language: Int32?
        var task: Int32?
        var hasTimestamps = true
        /// Tokens of the text that are taken without a question.
        var prefix: [Int32] = []
        /// Tokens that probably follow.
        var draft: [Int32] = []

        /// The tokens, and the index of the one after which the model says whether somebody speaks.
        func tokens(_ special: WhisperTokens, most: Int) -> (all: [Int32], start: Int) {
            // What was given stays in every window, as far as it leaves half of the room to what precedes.
            let hints = hints.suffix(max(most / 2, most - previous.count))
            let before = Array(hints) + previous.suffix(most - hints.count)
            var all = before.isEmpty ? [] : [special.startOfPrevious] + before
            let start = all.count
            all.append(special.start)
            if let language { all.append(language) }
            if let task { all.append(task) }
            if !hasTimestamps { all.append(special.noTimestamps) }
            return (all, start)
        }
    }

    /// The tokens with which a window begins, the index of the one after which the model says whether somebody speaks, and
    /// the tokens of the text that are taken without a question, as far as they leave room for another one.
    func beginning(of prompt: Prompt) -> (tokens: [Int32], start: Int, prefix: [Int32]) {
        let (all, start) = prompt.tokens(tokens, most: textContext / 2 - 1)
        return (all, start, Array(prompt.prefix.prefix(max(0, textContext - all.count - 1))))
    }

    /// Decodes a window.
    ///
    /// - Parameters:
    ///   - prompt: the tokens with which it begins.
    ///   - rules: which tokens may come next.
    ///   - temperature: 0 for the most probable tokens, more for others too.
    ///   - most: the most tokens.
    ///   - check: called before each step; what it throws ends the decoding.
    /// - Returns: the tokens.
    /// - Throws: what `check` throws.
    func decode(
        _ prompt: Prompt, rules: TokenRules, temperature: Double, most: Int, check: () throws -> Void
    ) throws -> DecodedWindow {
        var window = DecodedWindow()
        window.temperature = temperature
        var random = Randomness(seed: UInt64(temperature * 1000) &+ 1)
        let (beginning, start, prefix) = self.beginning(of: prompt)
        window.tokens = prefix
        window.logProbabilities = Array(repeating: 0, count: prefix.count)
        var next = beginning + prefix
        var draft = temperature == 0 ? prompt.draft[...] : []
        var position = 0
        let limit = min(most, textContext - beginning.count)
        while true {
            try check()
            // The tokens that probably follow are checked in the same step, as far as logits go.
            let room = min(TextDecoder.logitRows - 2, textContext - position - next.count)
            let guesses = Array(draft.prefix(max(room, 0)))
            let isFirst = position == 0
            let last = Int32(next.count - 1)
            let asksStart = isFirst && Int32(start) < last
            let rows = decoder.decode(
                next + guesses, at: position,
                outputs: (asksStart ? [Int32(start)] : []) + (last...last + Int32(guesses.count)))
            window.steps += 1
            position += next.count
            if isFirst { window.noSpeech = probability(of: tokens.noSpeech, in: rows, row: 0) }
            for index in 0...guesses.count {
                let logits = UnsafeMutableBufferPointer(
                    start: rows.row(index + (asksStart ? 1 : 0)), count: rows.width)
                rules.apply(to: logits, after: window.tokens) { instructionSet.logSumExp($0, highest: $1) }
                let (token, logProbability) = choose(logits, temperature, &random)
                window.sum += Double(logProbability)
                if token == tokens.endOfText {
                    window.hasEnded = true
                    return window
                }
                window.tokens.append(token)
                window.logProbabilities.append(logProbability)
                guard window.tokens.count < limit else { return window }
                next = [token]
                draft = draft.first == token ? draft.dropFirst() : []
                guard index < guesses.count, guesses[index] == token else { break }
                position += 1
            }
        }
    }

    /// The most probable token, or one drawn by its probability, and the logarithm of its probability at temperature 1.
    private func choose(
        _ logits: UnsafeMutableBufferPointer<Float>, _ temperature: Double, _ random: inout Randomness
    ) -> (Int32, Float) {
        let highest = TokenRules.highest(logits, 0..<logits.count)
        let total = instructionSet.logSumExp(UnsafeBufferPointer(logits), highest: highest)
        // Not even the end may follow: there is nothing to say.
        guard highest > -.infinity else { return (tokens.endOfText, 0) }
        var choice = 0
        if temperature == 0 {
            choice = logits.firstIndex(of: highest) ?? 0
        } else {
            let scaled = logits.map { $0 == -.infinity ? 0 : exp((Double($0) - Double(highest)) / temperature) }
            var rest = random.next() * scaled.reduce(0, +)
            choice = scaled.lastIndex { $0 > 0 } ?? 0
            for (index, weight) in scaled.enumerated() where weight > 0 {
                rest -= weight
                if rest < 0 {
                    choice = index
                    break
                }
            }
        }
        return (Int32(choice), logits[choice] - total)
    }

    /// The probability of a token among all.
    func probability(of token: Int32, in rows: FloatRows, row: Int) -> Double {
        let logits = UnsafeMutableBufferPointer(start: rows.row(row), count: rows.width)
        let highest = TokenRules.highest(logits, 0..<logits.count)
        let total = instructionSet.logSumExp(UnsafeBufferPointer(logits), highest: highest)
        return Double(exp(logits[Int(token)] - total))
    }

    /// The most likely language and its probability, of what the decoder has heard.
    func language() -> (index: Int, probability: Double) {
        let rows = decoder.decode([tokens.start], at: 0, outputs: [0])
        let first = Int(tokens.firstLanguage)
        let logits = UnsafeBufferPointer(start: rows.row(0) + first, count: tokens.languageCount)
        guard let best = logits.indices.max(by: { logits[$0] < logits[$1] }) else { return (0, 0) }
        let total = instructionSet.logSumExp(logits, highest: logits[best])
        return (best, Double(exp(logits[best] - total)))
    }
}

/// Random numbers that are the same for equal requests ([Steele et al., 2014](https://doi.org/10.1145/2660193.2660195)).
private struct Randomness {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next number, from 0 to below 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ mixed >> 31) >> 11) * 0x1p-53
    }
}
