// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFAudio)
    import AVFAudio
    import ParleyAudio

    /// The system's voice.
    public struct SystemVoice: SpeechVoice {
        /// The system's voice.
        ///
        /// - Parameter environment: not used here.
        public init(environment: [String: String] = [:]) {}

        /// Speaks a text.
        ///
        /// - Throws: `CancellationError`.
        public func speak(_ text: String, language: String?) async throws {
            let speaker = await Speaker()
            try await withTaskCancellationHandler {
                await speaker.speak(text, language: language)
                try Task.checkCancellation()
            } onCancel: {
                Task { await speaker.stop() }
            }
        }
    }

    /// Speaks one text, and says when it has ended.
    @MainActor
    private final class Speaker: NSObject, AVSpeechSynthesizerDelegate {
        private let synthesizer = AVSpeechSynthesizer()
        private var continuation: CheckedContinuation<Void, Never>?

        func speak(_ text: String, language: String?) async {
            // If it is cancelled from here on, it is stopped after it has begun.
            if Task.isCancelled { return }
            // Where the system refuses, as while a call goes on, it says nothing either, and the delegate is told.
            try? AppAudioSession.prepareToPlay()
            let utterance = AVSpeechUtterance(string: text)
            utterance.voice = language.flatMap { AVSpeechSynthesisVoice(language: $0) }
            synthesizer.delegate = self
            await withCheckedContinuation { continuation in
                self.continuation = continuation
                synthesizer.speak(utterance)
            }
        }

        func stop() {
            synthesizer.stopSpeaking(at: .immediate)
            end()
        }

        private func end() {
            continuation?.resume()
            continuation = nil
        }

        nonisolated func speechSynthesizer(_: AVSpeechSynthesizer, didFinish _: AVSpeechUtterance) {
            Task { @MainActor in end() }
        }

        nonisolated func speechSynthesizer(_: AVSpeechSynthesizer, didCancel _: AVSpeechUtterance) {
            Task { @MainActor in end() }
        }
    }
#endif
