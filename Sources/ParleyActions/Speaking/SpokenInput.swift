// SPDX-License-Identifier: Apache-2.0

public import ParleyAssistant
public import ParleySpeech
import Synchronization

/// Speech as the input of a chat, written down on this machine.
public final class SpokenInput: SpeechInput {
    private let prepare: @Sendable () async throws -> Dictation
    private let onEvent: @Sendable (DictationEvent) -> Void
    /// The recording in progress. No other lock is taken inside this one.
    private let current = Mutex(Recording())

    private struct Recording {
        var number = 0
        var dictation: Dictation?
        var task: Task<Void, Never>?
        /// Whether it is to end as soon as it has begun.
        var isFinished = false
    }

    /// Creates an input.
    ///
    /// - Parameters:
    ///   - onEvent: called with all that happens.
    ///   - prepare: prepares the recording of a message; it may load a model first.
    public init(
        onEvent: @escaping @Sendable (DictationEvent) -> Void = { _ in },
        _ prepare: @escaping @Sendable () async throws -> Dictation
    ) {
        (self.prepare, self.onEvent) = (prepare, onEvent)
    }

    /// Begins to record, and ends what is being recorded. The stream may end with a `SpeechError`, or with what `prepare` throws.
    public func record() -> AsyncThrowingStream<SpeechEvent, any Error> {
        let (stream, events) = AsyncThrowingStream.makeStream(of: SpeechEvent.self)
        current.withLock { recording in
            recording.task?.cancel()
            recording = Recording(number: recording.number + 1)
            let number = recording.number
            let task = Task {
                do {
                    try await run(number, events)
                    events.finish()
                } catch {
                    events.finish(throwing: error)
                }
            }
            recording.task = task
            events.onTermination = { _ in task.cancel() }
        }
        return stream
    }

    /// Ends the recording; it is written down then.
    public func finish() async {
        current.withLock { recording in
            recording.isFinished = true
            recording.dictation?.finish()
        }
    }

    /// Ends the recording and forgets it.
    public func discard() async {
        let task = current.withLock { recording in
            recording.task?.cancel()
            return recording.task
        }
        await task?.value
    }

    private func run(_ number: Int, _ events: AsyncThrowingStream<SpeechEvent, any Error>.Continuation) async throws {
        let dictation = try await prepare()
        // A model may be loaded to its end for somebody who does not want to speak any more.
        try Task.checkCancellation()
        current.withLock { recording in
            guard recording.number == number else { return }
            recording.dictation = dictation
            if recording.isFinished { dictation.finish() }
        }
        for try await event in dictation.events() {
            onEvent(event)
            switch event {
            case .words(let text): events.yield(.partial(text))
            case .transcribing: events.yield(.transcribing)
            case .transcript(let text, _): events.yield(.transcript(text))
            }
        }
    }
}
