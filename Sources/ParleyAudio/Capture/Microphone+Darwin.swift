// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFAudio)
    import AVFAudio
    import Foundation

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
                let (changes, observers) = CaptureChange.observe()
                do {
                    try capture.start()
                    // The tap goes on until nobody listens any more, or until a call takes the microphone.
                    loop: for await change in changes {
                        switch change {
                        case .configuration(let engine): if capture.uses(engine) { try capture.restart() }
                        case .interruption: break loop
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
                for observer in observers { NotificationCenter.default.removeObserver(observer) }
                capture.stop()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        }
    }

    /// What happens to the input while it is tapped.
    private enum CaptureChange: Sendable {
        /// An engine, which is that of this capture or another one of the app, has stopped because the route has changed.
        case configuration(of: ObjectIdentifier?)
        /// The system has taken the microphone away, for a call or another app.
        case interruption

        /// Observes the changes from now on, until the observers are removed.
        static func observe() -> (changes: AsyncStream<CaptureChange>, observers: [any NSObjectProtocol]) {
            let (changes, sender) = AsyncStream.makeStream(of: CaptureChange.self)
            let center = NotificationCenter.default
            var observers: [any NSObjectProtocol] = []
            observers.append(
                center.addObserver(forName: .AVAudioEngineConfigurationChange, object: nil, queue: nil) {
                    notification in
                    let engine = notification.object.map { ObjectIdentifier($0 as AnyObject) }
                    sender.yield(.configuration(of: engine))
                })
            #if os(iOS)
                observers.append(
                    center.addObserver(
                        forName: AVAudioSession.interruptionNotification, object: nil, queue: nil
                    ) { notification in
                        let kind = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                        guard kind == AVAudioSession.InterruptionType.began.rawValue else { return }
                        sender.yield(.interruption)
                    })
            #endif
            return (changes, observers)
        }
    }

    /// Taps the input in the hardware's own format. One task uses it, which the tap only hands pieces out of.
    private final class EngineCapture {
        private let continuation: AsyncThrowingStream<AudioSamples, any Error>.Continuation
        private var engine: AVAudioEngine?

        init(_ continuation: AsyncThrowingStream<AudioSamples, any Error>.Continuation) {
            self.continuation = continuation
        }

        /// Whether an engine is the one that is tapped.
        func uses(_ other: ObjectIdentifier?) -> Bool { engine.map { ObjectIdentifier($0) } == other }

        func start() throws {
            do {
                try AppAudioSession.prepareToRecord()
            } catch {
                throw AudioError(
                    .microphoneUnavailable, "The microphone is in use, for example by a call.", cause: error)
            }
            // Made only now, because the session says what the input is.
            let engine = AVAudioEngine()
            self.engine = engine
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
            try start()
        }

        func stop() {
            engine?.inputNode.removeTap(onBus: 0)
            engine?.stop()
            engine = nil
        }
    }
#endif
