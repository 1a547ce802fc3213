// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import ParleyTensor

/// Follows the most probable beginnings of a text at once, and takes the text whose tokens are the most probable on
/// average, as OpenAI's decoding with `beam_size` does.
struct BeamSearch {
    private static let sizes = 2...16

    private let window: WindowDecoder
    private let size: Int
    private let ledger: MemoryLedger

    /// A search over so many texts at once, whose memory is reserved in a ledger; nil for one, which needs none.
    init?(_ window: WindowDecoder, size: Int, ledger: MemoryLedger) {
        guard Self.sizes.contains(size) else { return nil }
        (self.window, self.size, self.ledger) = (window, size, ledger)
    }

    /// As many texts again as are followed, so that they can change places.
    private var texts: Int { 2 * size }

    /// How many texts may be followed.
    static func allows(_ size: Int) -> Bool { size == 1 || sizes.contains(size) }

    /// Decodes a window.
    ///
    /// - Parameters:
    ///   - prompt: the tokens with which it begins; drafts are not used.
    ///   - rules: which tokens may come next.
    ///   - most: the most tokens.
    ///   - check: called before each step; what it throws ends the decoding.
    /// - Returns: the tokens.
    /// - Throws: what `check` throws; `AllocationError`; `SpeechError` with code `insufficientMemory`.
    func decode(
        _ prompt: WindowDecoder.Prompt, rules: TokenRules, most: Int, check: () throws -> Void
    ) throws -> DecodedWindow {
        let (decoder, tokens) = (window.decoder, window.tokens)
        // The first text's memory the model always has.
        let memory = try ledger.reserve(
            ByteSize(clamping: decoder.textByteCount) * (texts - 1), for: "To follow \(size) texts at once",
            remedy: "Follow fewer")
        defer { decoder.releaseTexts() }
        try decoder.reserve(texts: texts)
        let (beginning, start, prefix) = window.beginning(of: prompt)
        var first = DecodedWindow()
        first.tokens = prefix
        first.logProbabilities = Array(repeating: 0, count: prefix.count)
        var beams = [first]
        var finished: [DecodedWindow] = []
        var next = beginning + prefix
        var (position, steps, noSpeech) = (0, 0, 0.0)
        let limit = min(most, window.textContext - beginning.count)
        while finished.count < size, let beam = beams.first, beam.tokens.count < limit {
            var candidates: [(window: DecodedWindow, source: Int)] = []
            for (index, beam) in beams.enumerated() {
                try check()
                if position > 0 { next = beam.tokens.suffix(1) }
                let last = Int32(next.count - 1)
                let asksStart = position == 0 && Int32(start) < last
                let rows = decoder.decode(
                    next, at: position, outputs: (asksStart ? [Int32(start)] : []) + [last], in: index)
                steps += 1
                if position == 0 { noSpeech = window.probability(of: tokens.noSpeech, in: rows, row: 0) }
                let logits = UnsafeMutableBufferPointer(start: rows.row(asksStart ? 1 : 0), count: rows.width)
                for (token, logProbability) in choices(logits, rules, after: beam.tokens) {
                    var longer = beam
                    longer.sum += Double(logProbability)
                    longer.hasEnded = token == tokens.endOfText
                    if !longer.hasEnded {
                        longer.tokens.append(token)
                        longer.logProbabilities.append(logProbability)
                    }
                    candidates.append((longer, index))
                }
            }
            position += next.count
            memory.reached(position, of: window.textContext)
            // Of equal ones the earlier, so that equal requests give equal results.
            let order = candidates.indices.sorted {
                (-candidates[$0].window.sum, $0) < (-candidates[$1].window.sum, $1)
            }
            var kept: [(window: DecodedWindow, source: Int)] = []
            for index in order where kept.count < size {
                if !candidates[index].window.hasEnded {
                    kept.append(candidates[index])
                } else if finished.count < size {
                    finished.append(candidates[index].window)
                }
            }
            decoder.rearrange(kept.map(\.source), spare: size..<texts, count: position)
            beams = kept.map(\.window)
        }
        // Texts that reached the limit count where too few have ended.
        let all = finished + (finished.count < size ? beams : [])
        var best = all.max { $0.averageLogProbability < $1.averageLogProbability } ?? first
        (best.steps, best.noSpeech) = (steps, noSpeech)
        return best
    }

    /// The most probable tokens that may come next, one more than there are texts, with the logarithms of their
    /// probabilities.
    private func choices(
        _ logits: UnsafeMutableBufferPointer<Float>, _ rules: TokenRules, after text: [Int32]
    ) -> [(Int32, Float)] {
        let set = window.instructionSet
        rules.apply(to: logits, after: text) { set.logSumExp($0, highest: $1) }
        let highest = TokenRules.highest(logits, 0..<logits.count)
        guard highest > -.infinity else { return [(window.tokens.endOfText, 0)] }
        let total = set.logSumExp(UnsafeBufferPointer(logits), highest: highest)
        var best: [(Int32, Float)] = []
        for (token, logit) in logits.enumerated() where logit > -.infinity {
            if best.count == size + 1, let last = best.last, logit - total <= last.1 { continue }
            let place = best.firstIndex { logit - total > $0.1 } ?? best.count
            best.insert((Int32(token), logit - total), at: place)
            if best.count > size + 1 { best.removeLast() }
        }
        return best
    }
}
