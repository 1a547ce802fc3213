// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyAudio
public import ParleyConversation
public import ParleySpeech

extension SpeechModel: SpeechTranscribing {
    /// Writes down what is said in a sound of a message.
    ///
    /// - Throws: `AudioError`, `SpeechError`; `CancellationError`.
    public func transcript(of wav: Data) async throws -> String {
        try await transcribe(AudioSamples(wav: wav)).text
    }
}
