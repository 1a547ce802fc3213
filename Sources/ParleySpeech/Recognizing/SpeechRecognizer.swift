// SPDX-License-Identifier: Apache-2.0

public import ParleyAudio

/// A loaded model that writes down stretches of at most 30 seconds of speech.
///
/// This is the seam for speech models. What lies above it is written once: long files in windows, utterances, what is
/// shown while someone speaks, the language of a session. What belongs to a model is below it: spectra, decoding, the
/// rules of time stamps, and decoding again when a reply repeats itself.
public protocol SpeechRecognizer: Sendable {
    /// The languages it knows, as ISO codes such as `de`; a model for one language has one.
    var languages: [String] { get }

    /// The language that is most likely spoken in a stretch, by its first 30 seconds.
    ///
    /// - Parameter audio: sound of ``AudioSamples/speechRate``.
    /// - Returns: one of ``languages``, and how likely it is.
    /// - Throws: `SpeechError`, or `CancellationError`.
    func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double)

    /// Writes down a stretch of at most 30 seconds.
    ///
    /// Equal requests give equal results. Cancelling the task ends it within one token or one layer of the encoder.
    ///
    /// - Throws: `SpeechError`, or `CancellationError`.
    func recognize(_ request: RecognitionRequest) async throws -> Recognition

    /// Gives the model's memory back; afterwards every request throws `SpeechError` with the code `modelNotLoaded`.
    func unload() async
}

extension SpeechRecognizer {
    /// A model that holds nothing has nothing to give back.
    public func unload() async {}
}
