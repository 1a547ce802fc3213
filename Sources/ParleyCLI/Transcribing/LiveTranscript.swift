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

    private static let isTerminal = Terminal.Stream.error.isTerminal

    /// Listens until the sound ends or Ctrl-C is pressed; what was said last is still written down. A second Ctrl-C
    /// ends everything at once.
    ///
    /// - Throws: `SpeechError`; `CancellationError`.
    func show(_ source: some AudioSource, model: SpeechModel, options: TranscriptionOptions) async throws {
        let stop = Stop()
        let chunks = stop.stopping(source.chunks())
        let console = console
        let isJSON = isJSON
        if Self.isTerminal { console.note("Listening; Ctrl-C ends.") }
        let task = Task {
            var isShown = false
            for try await result in model.transcriptions(of: chunks, options: options) {
                if isShown { Terminal.write("\r\u{1b}[K", to: .error) }
                isShown = false
                if result.isFinal {
                    console.line(isJSON ? Self.json(result) : result.text)
                } else if Self.isTerminal, !TextStyle.isDumb, !result.text.isEmpty {
                    Terminal.write(console.errorStyle.dim(Self.end(of: result.text)), to: .error)
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

    /// What of a text fits into a line of the terminal.
    private static func end(of text: String) -> String {
        let columns = max(10, Terminal.size.columns - 2)
        var width = 0
        let kept = PlainText.clean(text).reversed().prefix { character in
            width += DisplayWidth.of(character)
            return width <= columns
        }
        return String(kept.reversed())
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
