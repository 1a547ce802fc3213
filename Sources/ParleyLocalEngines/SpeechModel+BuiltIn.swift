// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyLocal
public import ParleyModels
public import ParleySpeech
package import ParleyTensor
import ParleyWhisper

extension SpeechModel {
    /// The name of the model that is used when none is named: Whisper base, which knows 99 languages (146 MB).
    public static let defaultName = "whisper-base"

    /// Loads a speech model, and downloads it first if it is not on this machine.
    ///
    /// Where speech is, Silero's network tells if the store has it (`parley models pull silero-vad`), and otherwise the
    /// energy of the sound; ``voiceActivity`` says which.
    ///
    /// - Parameters:
    ///   - model: a name in the ``SpeechCatalog``; the path of whisper.cpp's `ggml-*.bin`, or of a folder in the format of
    ///     CTranslate2 or of Hugging Face's `transformers`; or such a folder (`hf:OWNER/REPO`) or file (`hf:OWNER/REPO:FILE.bin`) on the Hugging Face hub.
    ///   - store: the store of the models on this machine.
    ///   - isOffline: whether using the network is forbidden.
    ///   - threads: the number of threads that compute together; nil for as many as the machine has cores.
    ///   - voiceActivity: the file of Silero's network, as its package or whisper.cpp has it; nil for the store's, if it
    ///     has one.
    ///   - progress: receives the progress, on any thread.
    /// - Returns: the loaded model.
    /// - Throws: `SpeechError` with code `modelNotLoaded`, `unsupportedModel` or `insufficientMemory`;
    ///   `CancellationError`.
    public static func load(
        _ model: String = SpeechModel.defaultName, store: ModelStore = .standard(), isOffline: Bool = false,
        threads: Int? = nil, voiceActivity: URL? = nil,
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> SpeechModel {
        try await load(
            model, store: store, isOffline: isOffline, threads: threads, voiceActivity: voiceActivity,
            instructionSet: .best, progress: progress)
    }

    /// Loads a speech model for kernels of a given instruction set.
    package static func load(
        _ model: String, store: ModelStore, isOffline: Bool, threads: Int?, voiceActivity: URL?,
        instructionSet: InstructionSet, progress: @escaping @Sendable (LoadingProgress) -> Void
    ) async throws -> SpeechModel {
        do {
            let url = try await store.installSpeechModel(
                model, isOffline: isOffline, willFetch: { progress(.missing($0)) },
                report: { progress(.fetching($0)) })
            progress(.loading(0))
            let model = try await WhisperModel.load(
                url, lanes: threads, isExact: false, instructionSet: instructionSet)
            guard let hearing = voiceActivity ?? store.voiceActivityModel else { return SpeechModel(recognizer: model) }
            let network = try SileroNetwork(contentsOf: hearing)
            return SpeechModel(recognizer: model) { SileroVoiceActivity(network) }
        } catch let error as ModelStoreError {
            throw SpeechError(.modelNotLoaded, error.message, cause: error)
        }
    }
}
