// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// Runs a ``TranscriptionMachine`` over sound that is being recorded: one recognition at a time, beside the recording.
struct LiveSession: Sendable {
    private enum Event: Sendable {
        case sound(AudioSamples)
        case end
        case failed(any Error)
        case detected(language: String, probability: Double, job: Int)
        case recognized(Recognition, job: Int)
        case jobFailed(any Error, job: Int)
    }

    private typealias Results = AsyncThrowingStream<TranscriptionResult, any Error>.Continuation

    private let recognizer: any SpeechRecognizer
    private let activity: any VoiceActivity
    private let options: TranscriptionOptions

    init(recognizer: any SpeechRecognizer, activity: any VoiceActivity, options: TranscriptionOptions) {
        (self.recognizer, self.activity, self.options) = (recognizer, activity, options)
    }

    /// Runs until the sound has ended and all is written down, or until the task is cancelled.
    func run(
        _ chunks: AsyncThrowingStream<AudioSamples, any Error>,
        to results: AsyncThrowingStream<TranscriptionResult, any Error>.Continuation
    ) async {
        let (events, sender) = AsyncStream.makeStream(of: Event.self)
        // Cancelled, and waited for, when this function ends.
        async let _: Void = read(chunks, to: sender)
        do {
            try await follow(events, sender, results)
            results.finish()
        } catch {
            results.finish(throwing: error)
        }
    }

    private func read(
        _ chunks: AsyncThrowingStream<AudioSamples, any Error>, to events: AsyncStream<Event>.Continuation
    ) async {
        do {
            for try await piece in chunks { events.yield(.sound(piece)) }
            // A source ends as well when the task is cancelled.
            if !Task.isCancelled { events.yield(.end) }
        } catch {
            events.yield(.failed((error as? AudioError).map { SpeechError($0) } ?? error))
        }
    }

    /// Tells the machine what happens and does what it says.
    private func follow(
        _ events: AsyncStream<Event>, _ sender: AsyncStream<Event>.Continuation, _ results: Results
    ) async throws {
        var machine = try TranscriptionMachine(options, languages: recognizer.languages, activity: activity, live: true)
        var rate = SpeechRate()
        var running: (id: Int, task: Task<Void, Never>)?
        defer { running?.task.cancel() }
        for await event in events {
            switch event {
            case .sound(let piece): machine.append(rate.convert(piece))
            case .end:
                machine.append(rate.finish())
                machine.finish()
            case .failed(let error): throw error
            case .detected(let language, let probability, let job):
                machine.detected((language, probability), by: job)
            case .recognized(let recognition, let job): machine.recognized(recognition, by: job)
            case .jobFailed(let error, let job):
                // An abandoned recognition ends with an error that nobody waits for.
                if job == running?.id { throw error }
            }
            actions: while !Task.isCancelled {
                switch machine.next() {
                case .wait: break actions
                case .finish: return
                case .deliver(let result): results.yield(result)
                case .abandon:
                    running?.task.cancel()
                    running = nil
                case .detectLanguage(let audio, let job):
                    running = (job, Task { await detect(audio, job, sender) })
                case .recognize(let request, let job):
                    running = (job, Task { await recognize(request, job, sender) })
                }
            }
        }
    }

    private func detect(_ audio: AudioSamples, _ job: Int, _ events: AsyncStream<Event>.Continuation) async {
        do {
            let (language, probability) = try await recognizer.detectLanguage(of: audio)
            events.yield(.detected(language: language, probability: probability, job: job))
        } catch {
            events.yield(.jobFailed(error, job: job))
        }
    }

    private func recognize(_ request: RecognitionRequest, _ job: Int, _ events: AsyncStream<Event>.Continuation) async {
        do {
            events.yield(.recognized(try await recognizer.recognize(request), job: job))
        } catch {
            events.yield(.jobFailed(error, job: job))
        }
    }
}
