// SPDX-License-Identifier: Apache-2.0

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

    /// The model, loaded.
    ///
    /// - Throws: what loading it throws.
    func loaded() async throws -> SpeechModel {
        // Several requests wait for one loading, which ends although one of them is cancelled.
        let task = model ?? Task { [loading] in try await loading() }
        model = task
        do {
            return try await task.value
        } catch {
            model = nil
            throw error
        }
    }
}
