// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleySpeech

/// One request on its way through the model: as often as the result calls for it.
struct WindowRecognition {
    /// A reply of more tokens than this for a second of speech, and a few more, runs away.
    private static let tokensASecond = 12.0
    private static let moreTokens = 16

    private let engine: WhisperEngine
    private let request: RecognitionRequest
    private let samples: [Float]
    private let check: () throws -> Void

    init(
        _ engine: WhisperEngine, _ request: RecognitionRequest, _ samples: [Float], _ check: @escaping () throws -> Void
    ) {
        (self.engine, self.request, self.samples, self.check) = (engine, request, samples, check)
    }

    private var languageOfText: String { request.task.language(ofText: request.language) }

    private func prompt() throws -> WindowDecoder.Prompt {
        var prompt = WindowDecoder.Prompt()
        let tokens = engine.tokens
        prompt.hints = try request.prompt.map(engine.pieces.tokens) ?? []
        prompt.previous = try request.context.map(engine.pieces.tokens) ?? []
        prompt.hasTimestamps = request.timestamps != .none
        if tokens.isMultilingual {
            prompt.language = tokens.token(of: request.language)
            prompt.task = request.task == .translate ? tokens.translate : tokens.transcribe
        }
        let prefix = request.prefix.filter { 0..<tokens.endOfText ~= $0 }
        prompt.prefix = prefix.isEmpty || !prompt.hasTimestamps ? prefix : [tokens.firstTimestamp] + prefix
        prompt.draft = request.draft.filter { 0..<tokens.endOfText ~= $0 }
        return prompt
    }

    /// Encodes and decodes the sound, again with the whole window if a reply runs away, and then at higher temperatures
    /// until one passes the thresholds.
    func run() throws -> Recognition {
        var stats = RecognitionStats()
        var positions = request.audioContext == .full ? AudioPositions.all : AudioPositions(samples: samples.count)
        try listen(positions, &stats)
        let prompt = try prompt()
        let most = max(1, min(request.maximumTokens, 224))
        let seconds = Double(samples.count) / Double(AudioSamples.speechRate)
        let usual = Int(seconds * Self.tokensASecond) + Self.moreTokens
        var best: (window: DecodedWindow, ratio: Double)?
        var hasPassed = false
        for temperature in request.temperatures.isEmpty ? [0] : request.temperatures {
            var result = try decode(prompt, temperature, positions.isFull ? most : min(most, usual + 1), &stats)
            if !positions.isFull, result.window.tokens.count > usual || result.ratio > request.compressionRatioThreshold
            {
                positions = .all
                try listen(positions, &stats)
                result = try decode(prompt, temperature, most, &stats)
            }
            let isImprobable = result.window.averageLogProbability < request.logProbThreshold
            let isSilence = isImprobable && result.window.noSpeech > request.noSpeechThreshold
            let repeats = result.ratio > request.compressionRatioThreshold
            if isSilence || !(isImprobable || repeats) {
                best = result
                hasPassed = true
                break
            }
            // If none passes, it is the most probable one that does not repeat itself, unless the model hardly believes in
            // it: what is really said twice repeats itself too.
            let isBetter: Bool
            if let best, isPlausible(best) == isPlausible(result) {
                isBetter = result.window.averageLogProbability > best.window.averageLogProbability
            } else {
                isBetter = best == nil || isPlausible(result)
            }
            if isBetter { best = result }
        }
        guard let best else {
            throw SpeechError(.invalidInput, "No temperature was given to decode at.")
        }
        // A text in which the model believes at no temperature is made up more easily than spoken.
        let silence = hasPassed ? request.noSpeechThreshold : request.noSpeechThreshold / 2
        return try recognition(best.window, best.ratio, positions, prompt, silence, stats)
    }

    /// Whether a text does not repeat itself, and the model at least half believes in it.
    private func isPlausible(_ result: (window: DecodedWindow, ratio: Double)) -> Bool {
        result.ratio <= request.compressionRatioThreshold
            && result.window.averageLogProbability >= request.logProbThreshold - 1
    }

    private func listen(_ positions: AudioPositions, _ stats: inout RecognitionStats) throws {
        stats.encodingTime += try engine.listen(samples, positions, check: check)
        stats.encodings += 1
    }

    private func decode(
        _ prompt: WindowDecoder.Prompt, _ temperature: Double, _ most: Int, _ stats: inout RecognitionStats
    ) throws -> (window: DecodedWindow, ratio: Double) {
        let clock = ContinuousClock()
        let began = clock.now
        let window = try engine.decode(
            prompt, temperature: temperature, beams: request.beamSize, most: most, check: check)
        stats.decodings += 1
        stats.tokens += window.steps
        stats.decodingTime += clock.now - began
        return (window, CompressionRatio.of(engine.pieces.text(window.tokens)))
    }

    private func recognition(
        _ window: DecodedWindow, _ ratio: Double, _ positions: AudioPositions, _ prompt: WindowDecoder.Prompt,
        _ silence: Double, _ stats: RecognitionStats
    ) throws -> Recognition {
        let duration = request.audio.duration
        let isSilence =
            window.noSpeech > silence && window.averageLogProbability < request.logProbThreshold
        let text = WindowText(
            isSilence ? [] : window.tokens, special: engine.tokens, duration: duration, hasEnded: window.hasEnded)
        let tokens = text.parts.flatMap(\.tokens)
        var boundaries: [Int] = []
        if request.timestamps == .word, !tokens.isEmpty {
            boundaries = try engine.align(tokens, prompt, positions: (samples.count + 319) / 320, check: check)
        }
        var first = 0
        let segments = text.parts.compactMap { part -> TranscriptionSegment? in
            defer { first += part.tokens.count }
            let words = engine.pieces.text(part.tokens).trimmingCharacters(in: .whitespacesAndNewlines)
            return words.isEmpty
                ? nil
                : TranscriptionSegment(
                    text: words, range: part.range, words: timings(part, from: first, boundaries, window),
                    averageLogProbability: window.averageLogProbability,
                    compressionRatio: ratio, noSpeechProbability: window.noSpeech, temperature: window.temperature)
        }
        var result = Recognition(
            text: engine.pieces.text(tokens).trimmingCharacters(in: .whitespacesAndNewlines), segments: segments,
            tokens: tokens, consumed: text.consumed, language: request.language)
        result.wordEnds = engine.pieces.wordEnds(tokens, language: languageOfText)
        result.averageLogProbability = window.averageLogProbability
        result.compressionRatio = ratio
        result.noSpeechProbability = window.noSpeech
        result.temperature = window.temperature
        result.usedFullContext = positions.isFull
        result.stats = stats
        return result
    }

    /// The words of a part whose first token is token `first` of the text.
    private func timings(
        _ part: WindowText.Part, from first: Int, _ boundaries: [Int], _ window: DecodedWindow
    ) -> [WordTiming] {
        guard boundaries.count > first + part.tokens.count else { return [] }
        let duration = request.audio.duration
        func time(_ token: Int) -> Duration { min(.milliseconds(20 * boundaries[first + token]), duration) }
        var words: [WordTiming] = []
        var begin = 0
        for end in engine.pieces.wordEnds(part.tokens, language: languageOfText) {
            let text = engine.pieces.text(part.tokens[begin..<end]).trimmingCharacters(in: .whitespacesAndNewlines)
            let logProbabilities = part.places[begin..<end].map { Double(window.logProbabilities[$0]) }
            let probability = exp(logProbabilities.reduce(0, +) / Double(max(end - begin, 1)))
            if !text.isEmpty {
                words.append(
                    WordTiming(word: text, range: time(begin)..<max(time(begin), time(end)), probability: probability))
            }
            begin = end
        }
        return WordAlignment.trimmed(words, to: part.range)
    }
}
