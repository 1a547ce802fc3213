// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
import ParleyJSON
import ParleySpeech
import ParleySystem
import Synchronization

/// Shows what is said while it is said: what may still change dim and on the terminal only, what is final as output.
struct LiveTranscript {
    let console: Console
    let isJSON: Bool

    private let status = StatusLine()

    init(console: Console, isJSON: Bool) {
        (self.console, self.isJSON) = (console, isJSON)
    }

    /// Listens until the sound ends or Ctrl-C is pressed; what was said last is still written down. A second Ctrl-C
    /// ends everything at once.
    ///
    /// - Throws: `SpeechError`; `CancellationError`.
    func show(_ source: some AudioSource, model: SpeechModel, options: TranscriptionOptions) async throws {
        let stop = Stop()
        let chunks = stop.stopping(source.chunks())
        let (console, status, isJSON) = (console, status, isJSON)
        if Terminal.Stream.error.isTerminal { console.note("Listening; Ctrl-C ends.") }
        let task = Task {
            var isShown = false
            defer { if isShown { status.erase() } }
            for try await result in model.transcriptions(of: chunks, options: options) {
                if result.isFinal {
                    if isShown { status.erase() }
                    isShown = false
                    console.line(isJSON ? Self.json(result) : result.text)
                } else if isShown || !result.text.isEmpty {
                    // What was said last is what is of interest.
                    let text = DisplayWidth.end(
                        of: PlainText.line(result.text), columns: Terminal.size.columns - 1)
                    status.draw(String(text), style: console.errorStyle.dim)
                    isShown = true
                }
            }
        }
        try await Interrupts.shared.handling({
            if stop.isStopped { task.cancel() }
            stop.stop()
        }) {
            try await task.value
        }
    }

    private static func json(_ result: TranscriptionResult) -> String {
        func seconds(_ time: Duration) -> JSONValue { .number((time / .milliseconds(1)).rounded() / 1000) }
        return JSONValue.object([
            "start": seconds(result.range.lowerBound), "end": seconds(result.range.upperBound),
            "text": .string(result.text), "language": .string(result.language),
        ]).text()
    }

    /// Ends a sound early.
    private final class Stop: Sendable {
        private let state = Mutex(false)

        var isStopped: Bool { state.withLock { $0 } }

        func stop() { state.withLock { $0 = true } }

        func stopping(
            _ chunks: AsyncThrowingStream<AudioSamples, any Error>
        ) -> AsyncThrowingStream<AudioSamples, any Error> {
            let source = Pieces(chunks)
            return AsyncThrowingStream { [self] in isStopped ? nil : try await source.next() }
        }
    }

    /// The pieces of a sound, asked for one after the other.
    private actor Pieces {
        private var pieces: AsyncThrowingStream<AudioSamples, any Error>.Iterator

        init(_ chunks: AsyncThrowingStream<AudioSamples, any Error>) {
            pieces = chunks.makeAsyncIterator()
        }

        func next() async throws -> AudioSamples? {
            var pieces = pieces
            defer { self.pieces = pieces }
            return try await pieces.next(isolation: self)
        }
    }
}
