// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAudio
public import ParleySpeech
package import ParleySystem
package import ParleyTensor
import Synchronization

/// A Whisper model on Parley's own kernels ([Radford et al., 2022](https://arxiv.org/abs/2212.04356)).
///
/// Weights are packed once and shared by all requests, which run one after the other on a thread of the model's own.
/// Memory and threads are released with the last reference to the model, or by ``unload()``.
public final class WhisperModel: SpeechRecognizer {
    /// How the weights of a model are kept.
    public struct Weights: Hashable, Sendable, CustomStringConvertible {
        /// The way's name.
        public let description: String

        /// Floats are quantised to 8 bits, which is faster and changes next to nothing.
        public static let quantized = Weights(description: "quantized")
        /// As the file has them.
        public static let exact = Weights(description: "exact")
    }

    /// The languages it knows, as ISO codes; English alone for models whose names end in `.en`.
    public let languages: [String]
    /// The number of threads that compute together.
    public let threads: Int

    private let thread: WhisperThread
    private let engine: Mutex<WhisperEngine?>

    /// Loads a model.
    ///
    /// - Parameters:
    ///   - url: whisper.cpp's `ggml-*.bin`, or a folder in CTranslate2's format (`model.bin`, `vocabulary.txt`) or that of
    ///     Hugging Face (`model.safetensors`, `config.json`, `tokenizer.json`).
    ///   - threads: the number of threads that compute together, from 1 to 1,024; nil for one for each core that this
    ///     process may use.
    ///   - weights: how the weights are kept.
    /// - Returns: the model, ready to recognise speech.
    /// - Throws: `SpeechError` with code `unsupportedModel` for damaged files and other kinds of models,
    ///   `insufficientMemory` for one that does not fit, and `invalidInput` for another number of threads;
    ///   `CancellationError`.
    public static func load(
        _ url: URL, threads: Int? = nil, weights: Weights = .quantized
    ) async throws -> WhisperModel {
        try await load(url, lanes: threads, isExact: weights == .exact, instructionSet: .best)
    }

    /// Loads a model for kernels of a given instruction set, if it fits beside what a ledger has promised.
    package static func load(
        _ url: URL, lanes: Int?, isExact: Bool, instructionSet: InstructionSet, ledger: MemoryLedger = .process
    ) async throws -> WhisperModel {
        let thread = try WhisperThread()
        let (lanes, range) = (lanes ?? ThreadCount.usual, ThreadCount.range)
        guard range.contains(lanes) else {
            throw SpeechError(
                .invalidInput,
                "The number of threads must be from \(range.lowerBound) to \(range.upperBound), not \(lanes).")
        }
        let (engine, count) = try await thread.run { check in
            let pool = WorkerPool(lanes: lanes, instructionSet: instructionSet)
            let file = try WhisperFile.read(url)
            let plan = WhisperMemoryPlan(file, isExact: isExact, lanes: pool.laneCount)
            let reservations = try plan.reserve(in: ledger, name: url.lastPathComponent)
            do {
                let engine = try WhisperEngine(
                    file, pool: pool, isExact: isExact, scratch: reservations.scratch, ledger: ledger,
                    isCancelled: { (try? check()) == nil })
                reservations.weights.reached(1, of: 1)
                return (engine, pool.laneCount)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw SpeechError.model(error)
            }
        }
        return WhisperModel(thread, engine, threads: count)
    }

    private init(_ thread: WhisperThread, _ engine: WhisperEngine, threads: Int) {
        (self.thread, self.threads) = (thread, threads)
        languages = engine.tokens.languages
        self.engine = Mutex(engine)
    }

    /// The language that is most likely spoken in a stretch, by its first 30 seconds.
    ///
    /// - Throws: `SpeechError`, or `CancellationError`.
    public func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) {
        let samples = Array(try Self.samples(of: audio).prefix(Self.longest))
        return try await withEngine { engine, check in
            try engine.listen(samples, AudioPositions(samples: samples.count), check: check)
            return engine.language()
        }
    }

    /// Writes down a stretch of at most 30 seconds.
    ///
    /// - Throws: `SpeechError`, or `CancellationError`.
    public func recognize(_ request: RecognitionRequest) async throws -> Recognition {
        guard languages.contains(request.language) else {
            throw SpeechError(
                .invalidInput,
                "The model does not know the language “\(request.language.prefix(16))”; it knows "
                    + "\(languages.joined(separator: ", ")).")
        }
        guard BeamSearch.allows(request.beamSize) else {
            throw SpeechError(.invalidInput, "\(request.beamSize) texts cannot be followed at once; choose 1 to 16.")
        }
        guard request.temperatures.allSatisfy({ Self.temperatures.contains($0) }) else {
            throw SpeechError(.invalidInput, "A temperature to decode at is a number from 0 to 2.")
        }
        let samples = try Self.samples(of: request.audio)
        guard samples.count <= Self.longest else {
            throw SpeechError(.invalidInput, "A stretch of speech is at most 30 seconds; divide it.")
        }
        return try await withEngine { engine, check in
            try WindowRecognition(engine, request, samples, check).run()
        }
    }

    /// Gives the model's memory back.
    public func unload() async {
        let engine = engine.withLock { $0.take() }
        // The thread may still use it; the last reference goes there.
        _ = try? await thread.run { _ in _ = engine }
    }

    /// The temperatures at which a text may be decoded.
    private static let temperatures = 0.0...2.0

    /// The samples of a request's longest stretch.
    private static let longest = MelSpectrum.windowSamples

    private static func samples(of audio: AudioSamples) throws -> [Float] {
        guard audio.sampleRate == AudioSamples.speechRate else {
            throw SpeechError(.invalidInput, "Sound of \(audio.sampleRate) Hz; resample it to 16 kHz first.")
        }
        return audio.samples
    }

    private func withEngine<Value: Sendable>(
        _ body: @escaping @Sendable (WhisperEngine, _ check: @escaping () throws -> Void) throws -> Value
    ) async throws -> Value {
        guard let engine = engine.withLock({ $0 }) else {
            throw SpeechError(.modelNotLoaded, "The speech model was unloaded; load it again.")
        }
        return try await thread.run { check in
            do {
                return try body(engine, check)
            } catch let error as AllocationError {
                throw SpeechError(.transcriptionFailed, error.message, cause: error)
            }
        }
    }
}
