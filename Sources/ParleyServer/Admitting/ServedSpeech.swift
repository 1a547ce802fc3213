// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyAudio
import ParleyOpenAI
public import ParleySpeech

/// The speech model that a server offers. It is loaded when it is asked for first.
public actor ServedSpeech {
    /// The name by which requests ask for it.
    public nonisolated let id: String
    private let loading: @Sendable () async throws -> SpeechModel
    private var model: Task<SpeechModel, any Error>?

    /// Offers a model.
    ///
    /// - Parameters:
    ///   - id: the name by which requests ask for it.
    ///   - load: loads it; called again after a failure.
    public init(id: String, load: @escaping @Sendable () async throws -> SpeechModel) {
        (self.id, loading) = (id, load)
    }

    /// Writes down a recording for the page.
    ///
    /// - Parameter wav: the recording.
    /// - Returns: what was said; empty if nobody spoke.
    /// - Throws: ``ServerError``; `CancellationError`.
    package func transcript(of wav: Data) async throws -> String {
        do {
            let sound = try AudioSamples(wav: wav)
            guard sound.duration <= Self.longestDictation else {
                throw ServerError(413, .tooLarge, "A dictation is at most 30 seconds long.")
            }
            return try await loaded().transcribe(sound).text
        } catch let error as AudioError {
            throw ServerError(SpeechError(error))
        } catch let error as SpeechError {
            throw ServerError(error)
        }
    }

    /// Half a minute, and what is recorded until its end is noticed.
    private static let longestDictation = Duration.seconds(35)

    /// The model, loaded.
    ///
    /// - Throws: what loading it throws.
    func loaded() async throws -> SpeechModel {
        // Several requests wait for one loading, which ends although one of them is cancelled.
        let task = model ?? Task { [loading] in try await loading() }
        model = task
        do {
            return try await task.valueUnlessCancelled()
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            // Somebody else may load it anew already.
            if model == task { model = nil }
            throw error
        }
    }
}

extension ServerState {
    /// A speech model, loaded; models that nobody uses go where it needs their memory.
    ///
    /// - Throws: what loading it throws.
    func loaded(_ speech: ServedSpeech) async throws -> SpeechModel {
        while true {
            do {
                return try await speech.loaded()
            } catch let error as SpeechError where error.code == .insufficientMemory {
                guard await models.makeRoom() else { throw error }
            }
        }
    }
}

extension ServerError {
    /// The answer to a failure of speech recognition.
    init(_ error: SpeechError) {
        switch error.code {
        case .invalidInput: self.init(400, .unsupportedValue, error.message, param: "language", cause: error)
        case .unsupportedAudio, .tooShort:
            self.init(400, .unsupportedValue, "The sound is damaged.", param: "file", cause: error)
        case .insufficientMemory:
            self.init(503, .insufficientMemory, error.message, cause: error)
        case .modelNotLoaded, .unsupportedModel:
            self.init(
                500, .modelFailed, "The speech model could not be loaded. Look at the server's log.", cause: error)
        default: self = .failed(error)
        }
    }
}
