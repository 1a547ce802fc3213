// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleySpeech
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
import Testing

@Suite struct WhisperModelTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try Data(TinyWhisperFixture.model.ggml(.f16)).write(to: file)
    }

    private var file: URL { folder.url.appending(path: "ggml-tiny.bin") }
    private let audio = AudioSamples(samples: TinyWhisperFixture.sound)

    @Test("Equal requests give equal results, which name what they cost")
    func equal() async throws {
        let model = try await WhisperModel.load(file, threads: 2)
        #expect(model.languages == ["en"])
        var request = RecognitionRequest(audio: audio, language: "en")
        request.temperatures = [0.5]
        request.maximumTokens = 12
        var (first, second) = (try await model.recognize(request), try await model.recognize(request))
        #expect(first.stats.encodings > 0 && first.stats.tokens > 0 && first.temperature == 0.5)
        (first.stats, second.stats) = (RecognitionStats(), RecognitionStats())
        #expect(first == second)
        #expect(first.wordEnds.last ?? 0 == first.tokens.count)
    }

    @Test("A reply that never ends is decoded again with the whole window, and stops at the limit")
    func endless() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.timestamps = .none
        request.temperatures = [0]
        let result = try await model.recognize(request)
        #expect(result.usedFullContext && result.stats.encodings == 2)
        #expect(result.tokens.count <= TinyWhisperFixture.model.shape.textContext)
        request.maximumTokens = 5
        #expect(try await model.recognize(request).tokens.count <= 5)
    }

    @Test("Where no temperature passes, the most probable text is taken")
    func fallback() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.maximumTokens = 8
        request.logProbThreshold = 0
        request.noSpeechThreshold = 1
        request.compressionRatioThreshold = 100
        request.audioContext = .full
        var alone: [Double] = []
        for temperature in [0, 0.7, 1] {
            request.temperatures = [temperature]
            alone.append(try await model.recognize(request).averageLogProbability)
        }
        request.temperatures = [1, 0, 0.7]
        let result = try await model.recognize(request)
        #expect(result.stats.decodings == 3 && result.averageLogProbability == alone.max())
    }

    @Test("The same sound is encoded once, whether it is asked for its language or its text, and other sound again")
    func heard() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.temperatures = [0.5]
        request.maximumTokens = 4
        request.compressionRatioThreshold = 100
        let first = try await model.recognize(request)
        // What was measured once is told again; two measurements are never equal to the nanosecond.
        #expect(try await model.recognize(request).stats.encodingTime == first.stats.encodingTime)
        var other = request
        other.audio = AudioSamples(samples: audio.samples.map { -0.5 * $0 })
        let second = try await model.recognize(other)
        #expect(second.stats.encodingTime != first.stats.encodingTime)
        #expect(second.averageLogProbability != first.averageLogProbability)
        let again = try await model.recognize(request)
        #expect(again.stats.encodingTime != first.stats.encodingTime)
        #expect(again.tokens == first.tokens && again.averageLogProbability == first.averageLogProbability)
        other = request
        other.audioContext = .full
        #expect(try await model.recognize(other).usedFullContext)
    }

    @Test("Words that are forced through begin the text")
    func prefix() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.prefix = [300, 400]
        request.maximumTokens = 6
        #expect(try await model.recognize(request).tokens.starts(with: [300, 400]))
    }

    @Test("Words that are likely to occur are told however long the text is that precedes, of which the end counts")
    func hints() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.temperatures = [0.5]
        request.maximumTokens = 4
        request.compressionRatioThreshold = 100
        request.context = String(repeating: "and so on ", count: 100)
        let plain = try await model.recognize(request).averageLogProbability
        request.prompt = "names"
        let told = try await model.recognize(request).averageLogProbability
        #expect(told != plain)
        request.context = "at first " + String(repeating: "and so on ", count: 100)
        #expect(try await model.recognize(request).averageLogProbability == told)
    }

    @Test("Of words that are forced through only as many are taken as the decoder has room for", arguments: [1, 2])
    func longPrefix(beams: Int) async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.prompt = String(repeating: "and so on ", count: 40)
        request.prefix = (Int32(300)..<400).map { $0 }
        request.temperatures = [0]
        request.beamSize = beams
        request.timestamps = .none
        let result = try await model.recognize(request)
        let most = TinyWhisperFixture.model.shape.textContext
        #expect(result.tokens.count > 20 && result.tokens.count < most)
        #expect(result.tokens.dropLast().elementsEqual(request.prefix.prefix(result.tokens.count - 1)))
    }

    @Test("Temperatures out of range are refused")
    func temperatures() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        for temperature in [-0.5, 2.5, 1e300, .infinity, .nan] {
            var request = RecognitionRequest(audio: audio, language: "en")
            request.temperatures = [0, temperature]
            let asked = request
            let error = await #expect(throws: SpeechError.self) { _ = try await model.recognize(asked) }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("A draft changes the number of steps, and nothing else", arguments: [0, 3, 11, 40])
    func draft(right: Int) async throws {
        let model = try await WhisperModel.load(file, threads: 2)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.timestamps = .none
        request.temperatures = [0]
        request.maximumTokens = 40
        request.audioContext = .full
        var plain = try await model.recognize(request)
        request.draft = plain.tokens.prefix(right) + [7, 7, 7]
        var drafted = try await model.recognize(request)
        #expect(plain.tokens.count == 40)
        #expect(right == 0 || drafted.stats.tokens < plain.stats.tokens)
        (plain.stats, drafted.stats) = (RecognitionStats(), RecognitionStats())
        #expect(plain == drafted)
    }

    /// The sum of the logarithms of the probabilities of some tokens, each computed from the beginning.
    private func sum(of text: [Int32]) throws -> Double {
        let engine = try TinyWhisperFixture.engine(TinyWhisperFixture.file(.f16), isExact: false)
        let special = WhisperTokens(vocabularySize: TinyWhisperFixture.model.shape.vocabularySize)
        let rules = TokenRules(
            tokens: special, vocabularySize: TinyWhisperFixture.model.shape.vocabularySize,
            suppressed: SuppressedTokens.ids(pieces: TinyWhisper.pieces, tokens: special, declared: nil),
            blanks: [special.endOfText] + engine.pieces.ids(spelled: " "), hasTimestamps: false)
        let rows = try engine.logits([special.start, special.noTimestamps] + text, after: audio.samples, .all)
        return text.indices.reduce(0) { total, index in
            var logits = rows[index + 1]
            logits.withUnsafeMutableBufferPointer { rules.apply(to: $0, after: Array(text[..<index])) { _, _ in 0 } }
            let highest = logits.max() ?? 0
            let all = logits.reduce(0) { $0 + exp(Double($1 - highest)) }
            return total + Double(logits[Int(text[index])] - highest) - log(all)
        }
    }

    @Test("Several texts followed at once give one that is as probable as it says, and more than the greedy one")
    func beams() async throws {
        let model = try await WhisperModel.load(file, threads: 2)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.timestamps = .none
        request.temperatures = [0]
        request.maximumTokens = 10
        request.audioContext = .full
        let greedy = try await model.recognize(request)
        for size in [2, 5] {
            request.beamSize = size
            var result = try await model.recognize(request)
            #expect(result.averageLogProbability > greedy.averageLogProbability)
            let sum = result.averageLogProbability * Double(result.tokens.count + 1)
            #expect(result.tokens.count == 10)
            #expect(try abs(sum - self.sum(of: result.tokens)) < 1e-3)
            var again = try await model.recognize(request)
            (result.stats, again.stats) = (RecognitionStats(), RecognitionStats())
            #expect(result == again)
        }
        request.beamSize = 1
        #expect(try await model.recognize(request).tokens == greedy.tokens)
        for size in [0, 17, -1] {
            request.beamSize = size
            let error = await #expect(throws: SpeechError.self) { try await model.recognize(request) }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("Words have times that ascend within their segment's sound, where they are asked for")
    func words() async throws {
        let model = try await WhisperModel.load(file, threads: 2)
        var request = RecognitionRequest(audio: audio, language: "en")
        request.prefix = Array("hello".utf8.map { Int32($0) - 33 })
        request.temperatures = [1]
        request.maximumTokens = 14
        request.logProbThreshold = -100
        request.compressionRatioThreshold = 100
        #expect(try await model.recognize(request).segments.allSatisfy(\.words.isEmpty))
        request.timestamps = .word
        let result = try await model.recognize(request)
        let words = result.segments.flatMap(\.words)
        #expect(!words.isEmpty && words.count <= result.tokens.count)
        #expect(words.map(\.range.lowerBound) == words.map(\.range.lowerBound).sorted())
        for word in words {
            #expect(word.range.upperBound <= audio.duration && (0...1).contains(word.probability))
        }
    }

    @Test("The words of a translation are English ones, whatever language is spoken")
    func wordsOfTranslation() async throws {
        try Data(TinyWhisper(.init(vocabularySize: 51_865)).ggml(.f16)).write(to: file)
        let model = try await WhisperModel.load(file, threads: 2)
        var request = RecognitionRequest(audio: audio, language: "ja")
        request.prefix = Array("hello".utf8.map { Int32($0) - 33 })
        request.timestamps = .none
        request.temperatures = [1]
        request.maximumTokens = 8
        request.logProbThreshold = -100
        request.compressionRatioThreshold = 100
        #expect(try await model.recognize(request).wordEnds.first == 1)
        request.task = .translate
        #expect(try await model.recognize(request).wordEnds.first.map { $0 >= 5 } == true)
    }

    @Test("Unknown languages, other sample rates and too long sound are refused")
    func refused() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        let requests = [
            RecognitionRequest(audio: audio, language: "de"),
            RecognitionRequest(audio: AudioSamples(samples: [0, 1], sampleRate: 48_000), language: "en"),
            RecognitionRequest(audio: AudioSamples(samples: [Float](repeating: 0, count: 480_001)), language: "en"),
        ]
        for request in requests {
            let error = await #expect(throws: SpeechError.self) { try await model.recognize(request) }
            #expect(error?.code == .invalidInput)
        }
        #expect(try await model.detectLanguage(of: audio) == ("en", 1))
    }

    @Test("A cancelled request delivers nothing, and the next one is answered")
    func cancelled() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        let request = RecognitionRequest(audio: audio, language: "en")
        let tasks = (0..<4).map { _ in Task { try await model.recognize(request) } }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        _ = try await model.recognize(request)
    }

    @Test("An unloaded model says so")
    func unloaded() async throws {
        let model = try await WhisperModel.load(file, threads: 1)
        await model.unload()
        let error = await #expect(throws: SpeechError.self) {
            try await model.recognize(RecognitionRequest(audio: audio, language: "en"))
        }
        #expect(error?.code == .modelNotLoaded)
    }

    @Test("What is no model is refused")
    func noModel() async throws {
        try Data("nothing".utf8).write(to: file)
        let error = await #expect(throws: SpeechError.self) { try await WhisperModel.load(file) }
        #expect(error?.code == .unsupportedModel)
    }

    @Test("As many threads as other engines take are taken, and no more", arguments: [(257, true), (1_025, false)])
    func threads(count: Int, isTaken: Bool) async throws {
        // The number is looked at before the file, which is no model.
        try Data("nothing".utf8).write(to: file)
        let error = await #expect(throws: SpeechError.self) { try await WhisperModel.load(file, threads: count) }
        #expect(error?.code == (isTaken ? .unsupportedModel : .invalidInput))
    }
}
