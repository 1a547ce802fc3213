// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFAudio)
    import AVFAudio
    import Foundation
    import Synchronization

    extension Microphone {
        static func capture(_ device: String?) -> AsyncThrowingStream<AudioSamples, any Error> {
            let (stream, continuation) = AsyncThrowingStream.makeStream(
                of: AudioSamples.self, bufferingPolicy: .bufferingNewest(600))
            let task = Task {
                guard await AVAudioApplication.requestRecordPermission() else {
                    continuation.finish(
                        throwing: AudioError(
                            .microphoneDenied,
                            "The microphone may not be used. Allow it in the system's settings, under Privacy."))
                    return
                }
                let capture = EngineCapture(continuation)
                do {
                    try capture.start()
                    // The tap goes on until nobody listens any more.
                    for await _ in NotificationCenter.default.notifications(named: .AVAudioEngineConfigurationChange) {
                        try capture.restart()
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
                capture.stop()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        }
    }

    /// Taps the input in the hardware's own format. One task uses it, which the tap only hands pieces out of.
    private final class EngineCapture {
        private let continuation: AsyncThrowingStream<AudioSamples, any Error>.Continuation
        private var engine = AVAudioEngine()

        init(_ continuation: AsyncThrowingStream<AudioSamples, any Error>.Continuation) {
            self.continuation = continuation
        }

        func start() throws {
            let format = engine.inputNode.inputFormat(forBus: 0)
            guard format.sampleRate > 0, format.channelCount > 0 else {
                throw AudioError(.microphoneUnavailable, "There is no microphone.")
            }
            let rate = Int(format.sampleRate)
            engine.inputNode.installTap(onBus: 0, bufferSize: AVAudioFrameCount(rate / 10), format: format) {
                [continuation] buffer, _ in
                continuation.yield(AudioSamples(samples: buffer.meanOfChannels(), sampleRate: rate))
            }
            do {
                engine.prepare()
                try engine.start()
            } catch {
                throw AudioError(.microphoneUnavailable, "The microphone cannot be opened.", cause: error)
            }
        }

        /// The route has changed: another microphone may have another format, so the tap is made anew.
        func restart() throws {
            stop()
            engine = AVAudioEngine()
            try start()
        }

        func stop() {
            engine.inputNode.removeTap(onBus: 0)
            engine.stop()
        }
    }
#endif
