// SPDX-License-Identifier: Apache-2.0

#if canImport(Speech) && canImport(AVFoundation)
    import AVFoundation
    import ParleyAssistant
    import Speech

    /// Speech as text, with the system's recogniser, on this device where it can.
    ///
    /// A recording ends by hand, after two seconds of silence, or after half a minute.
    actor Dictation: SpeechInput {
        /// What the recogniser says: the text so far, whether it is the whole text, whether it has failed.
        private struct Hearing: Sendable {
            var text: String?
            var isFinal: Bool
            var hasFailed: Bool
        }

        private static let longest = Duration.seconds(30)
        private static let silence = Duration.seconds(2)

        private var engine: AVAudioEngine?
        /// Kept until the recording is over, as its task works for it.
        private var recogniser: SFSpeechRecognizer?
        private var request: SFSpeechAudioBufferRecognitionRequest?
        private var task: SFSpeechRecognitionTask?
        private var events: AsyncThrowingStream<SpeechEvent, any Error>.Continuation?
        private var lastHeard = ContinuousClock.now
        private var text = ""

        nonisolated func record() -> AsyncThrowingStream<SpeechEvent, any Error> {
            let (stream, continuation) = AsyncThrowingStream<SpeechEvent, any Error>.makeStream()
            let work = Task { await self.run(continuation) }
            continuation.onTermination = { _ in work.cancel() }
            return stream
        }

        func finish() {
            guard engine != nil else { return }
            stopListening()
            events?.yield(.transcribing)
            request?.endAudio()
        }

        func discard() {
            stopListening()
            task?.cancel()
            events?.finish()
            events = nil
        }

        private func run(_ continuation: AsyncThrowingStream<SpeechEvent, any Error>.Continuation) async {
            do {
                let hearings = try await begin(continuation)
                let watch = Task { await self.watch() }
                defer { watch.cancel() }
                for await hearing in hearings {
                    if let text = hearing.text, text != self.text {
                        (self.text, lastHeard) = (text, .now)
                        if !hearing.isFinal { continuation.yield(.partial(text)) }
                    }
                    if hearing.isFinal || hearing.hasFailed { break }
                }
                stopListening()
                // What was understood before a failure is worth keeping.
                guard !text.isEmpty else { throw SpeechFailure.tooShort }
                continuation.yield(.transcript(text))
                continuation.finish()
            } catch {
                stopListening()
                continuation.finish(throwing: error)
            }
            (recogniser, task, request, events) = (nil, nil, nil, nil)
        }

        /// Begins to listen.
        private func begin(
            _ continuation: AsyncThrowingStream<SpeechEvent, any Error>.Continuation
        ) async throws -> AsyncStream<Hearing> {
            let isAllowed = await withCheckedContinuation { (answer: CheckedContinuation<Bool, Never>) in
                SFSpeechRecognizer.requestAuthorization { @Sendable status in
                    answer.resume(returning: status == .authorized)
                }
            }
            guard isAllowed, await AVAudioApplication.requestRecordPermission() else {
                throw SpeechFailure.noMicrophone
            }
            guard let recogniser = SFSpeechRecognizer(), recogniser.isAvailable else { throw SpeechFailure.noModel }
            #if os(iOS)
                try AVAudioSession.sharedInstance().setCategory(.record, mode: .measurement, options: .duckOthers)
                try AVAudioSession.sharedInstance().setActive(true, options: .notifyOthersOnDeactivation)
            #endif
            // `nonisolated(unsafe)`: the recogniser takes sound from any thread.
            nonisolated(unsafe) let request = SFSpeechAudioBufferRecognitionRequest()
            request.shouldReportPartialResults = true
            request.requiresOnDeviceRecognition = recogniser.supportsOnDeviceRecognition
            let engine = AVAudioEngine()
            let format = engine.inputNode.outputFormat(forBus: 0)
            guard format.sampleRate > 0, format.channelCount > 0 else { throw SpeechFailure.noMicrophone }
            engine.inputNode.installTap(onBus: 0, bufferSize: 1_024, format: format) { @Sendable buffer, _ in
                request.append(buffer)
            }
            engine.prepare()
            try engine.start()
            let (hearings, source) = AsyncStream<Hearing>.makeStream()
            task = recogniser.recognitionTask(with: request) { @Sendable result, error in
                source.yield(
                    Hearing(
                        text: result?.bestTranscription.formattedString, isFinal: result?.isFinal ?? false,
                        hasFailed: error != nil))
            }
            (self.engine, self.request, self.recogniser) = (engine, request, recogniser)
            (events, text, lastHeard) = (continuation, "", .now)
            return hearings
        }

        /// Ends the recording after silence, or when it is too long.
        private func watch() async {
            let start = ContinuousClock.now
            while !Task.isCancelled, engine != nil {
                try? await Task.sleep(for: .milliseconds(250))
                let isSilent = !text.isEmpty && lastHeard.duration(to: .now) > Self.silence
                if isSilent || start.duration(to: .now) > Self.longest { return finish() }
            }
        }

        private func stopListening() {
            engine?.stop()
            engine?.inputNode.removeTap(onBus: 0)
            engine = nil
        }
    }
#endif
