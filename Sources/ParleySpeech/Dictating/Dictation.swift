// SPDX-License-Identifier: Apache-2.0

public import ParleyAudio
import Synchronization

/// One spoken message: recorded until its speaker pauses, until ``finish()`` or for 30 seconds, and written down.
public final class Dictation: Sendable {
    private let model: SpeechModel
    private let source: any AudioSource
    private let options: TranscriptionOptions
    private let rules: DictationRules
    /// The recording. No other lock is taken inside this one.
    private let recording = Mutex(Recording())

    private struct Recording {
        var task: Task<Void, any Error>?
        var isFinished = false
    }

    private typealias Events = AsyncThrowingStream<DictationEvent, any Error>.Continuation

    /// Prepares a dictation.
    ///
    /// - Parameters:
    ///   - model: writes down what is said.
    ///   - source: the microphone.
    ///   - options: how it is written down; the endpointing is that of the rules.
    ///   - rules: when the recording ends.
    public init(
        _ model: SpeechModel, source: any AudioSource = Microphone(),
        options: TranscriptionOptions = TranscriptionOptions(), rules: DictationRules = DictationRules()
    ) {
        var options = options
        options.endpointing = rules.endpointing
        (self.model, self.source, self.options, self.rules) = (model, source, options, rules)
    }

    /// Records, and writes down what is said; once.
    ///
    /// First come ``DictationEvent/words(_:)`` as they are understood, each in place of the last; when the recording has
    /// ended ``DictationEvent/transcribing``; and at last the transcript. Ending the iteration or cancelling its task
    /// forgets the recording.
    ///
    /// - Returns: the events. The stream ends with `SpeechError`: `tooShort` after less than half a second of speech,
    ///   `nothingHeard` where nobody spoke, others where the microphone or the model fails.
    public func events() -> AsyncThrowingStream<DictationEvent, any Error> {
        let (stream, events) = AsyncThrowingStream.makeStream(of: DictationEvent.self)
        let task = Task {
            do {
                try await run(events)
                events.finish()
            } catch {
                events.finish(throwing: error)
            }
        }
        events.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Ends the recording, which is then written down.
    public func finish() {
        recording.withLock { recording in
            recording.isFinished = true
            recording.task?.cancel()
        }
    }

    private func run(_ events: Events) async throws {
        let (sound, writer) = AsyncThrowingStream.makeStream(of: AudioSamples.self)
        let reading = Task { try await record(to: writer, events) }
        recording.withLock { recording in
            recording.task = reading
            if recording.isFinished { reading.cancel() }
        }
        try await withTaskCancellationHandler {
            var texts: [String] = []
            var language = options.language ?? "en"
            func joined(_ texts: [String]) -> String {
                SpokenText.joined(texts, language: options.task.language(ofText: language))
            }
            do {
                for try await result in model.transcriptions(of: sound, options: options) {
                    language = result.language
                    if result.isFinal { texts.append(result.text) }
                    let known = joined(texts + (result.isFinal ? [] : [result.text]))
                    if !known.isEmpty { events.yield(.words(known)) }
                }
            } catch {
                reading.cancel()
                throw error
            }
            try await reading.value
            try Task.checkCancellation()
            let text = joined(texts)
            guard !text.isEmpty else { throw SpeechError.nothingHeard }
            events.yield(.transcript(text, language: language))
        } onCancel: {
            reading.cancel()
        }
    }

    /// Passes the sound on until it is over.
    private func record(to writer: AsyncThrowingStream<AudioSamples, any Error>.Continuation, _ events: Events)
        async throws
    {
        var watch = DictationWatch(rules, activity: model.makeActivity())
        var rate = SpeechRate()
        func take(_ samples: [Float]) {
            let count = watch.append(samples)
            writer.yield(AudioSamples(samples: Array(samples.prefix(count))))
        }
        do {
            var chunks = source.chunks().makeAsyncIterator()
            while !watch.hasEnded, let piece = try await SpeechModel.piece({ try await chunks.next() }) {
                take(rate.convert(piece))
            }
            take(rate.finish())
            try watch.finish()
            events.yield(.transcribing)
            writer.finish()
        } catch {
            writer.finish(throwing: error)
            throw error
        }
    }
}

extension SpeechError {
    /// Nobody spoke.
    static let nothingHeard = SpeechError(
        .nothingHeard, "Nothing was heard. Speak closer to the microphone, or see whether it is on.")
}
