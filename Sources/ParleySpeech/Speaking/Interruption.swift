// SPDX-License-Identifier: Apache-2.0

public import ParleyAudio

/// Sound of which the beginning was heard already.
public struct HeardSound: AudioSource {
    private let beginning: [AudioSamples]
    private let rest: AsyncThrowingStream<AudioSamples, any Error>

    init(beginning: [AudioSamples], rest: AsyncThrowingStream<AudioSamples, any Error>) {
        (self.beginning, self.rest) = (beginning, rest)
    }

    /// The sound from its beginning; may be asked for once.
    public func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
        let pieces = Pieces(beginning, rest)
        return AsyncThrowingStream { try await pieces.next() }
    }

    private actor Pieces {
        private var beginning: ArraySlice<AudioSamples>
        private var rest: AsyncThrowingStream<AudioSamples, any Error>.Iterator

        init(_ beginning: [AudioSamples], _ rest: AsyncThrowingStream<AudioSamples, any Error>) {
            (self.beginning, self.rest) = (beginning[...], rest.makeAsyncIterator())
        }

        func next() async throws -> AudioSamples? {
            if let first = beginning.popFirst() { return first }
            var rest = rest
            defer { self.rest = rest }
            return try await rest.next(isolation: self)
        }
    }
}

/// Listens for somebody who speaks while the machine reads aloud.
public enum Interruption {
    /// Of what was heard before the interruption, so much is part of what is said: the first words.
    private static let kept = Duration.seconds(1)

    /// Waits until somebody interrupts.
    ///
    /// - Parameter source: the microphone, heard from the time on at which the machine begins to speak.
    /// - Returns: the sound with the first words of who interrupts; nil if the sound has ended or the task is cancelled.
    /// - Throws: `SpeechError`, if the microphone fails.
    public static func wait(on source: some AudioSource) async throws -> HeardSound? {
        var watch = InterruptionWatch()
        var rate = SpeechRate()
        var heard: [AudioSamples] = []
        let chunks = source.chunks()
        var pieces = chunks.makeAsyncIterator()
        while let piece = try await SpeechModel.piece({ try await pieces.next() }) {
            heard.append(piece)
            while heard.dropFirst().reduce(.zero, { $0 + $1.duration }) > kept { heard.removeFirst() }
            if Task.isCancelled { return nil }
            if watch.append(rate.convert(piece)) { return HeardSound(beginning: heard, rest: chunks) }
        }
        return nil
    }
}
