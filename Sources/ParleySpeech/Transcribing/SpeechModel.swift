// SPDX-License-Identifier: Apache-2.0

public import ParleyAudio

/// A loaded speech model: writes down recordings, and what a microphone hears.
///
/// Values of it share one recogniser, which may be asked from several tasks and answers one after the other. Nothing is
/// recognised where nobody speaks.
public struct SpeechModel: Sendable {
    /// The model itself.
    public let recognizer: any SpeechRecognizer
    /// Makes what finds speech, for one session.
    private let activity: @Sendable () -> any VoiceActivity

    /// What finds speech, for one session.
    package func makeActivity() -> any VoiceActivity { activity() }

    /// A model over a recogniser, with the voice activity that needs none.
    public init(recognizer: any SpeechRecognizer) {
        self.init(recognizer: recognizer, activity: { EnergyVoiceActivity() })
    }

    /// A model with another voice activity.
    package init(recognizer: any SpeechRecognizer, activity: @escaping @Sendable () -> any VoiceActivity) {
        (self.recognizer, self.activity) = (recognizer, activity)
    }

    /// What tells where somebody speaks.
    public var voiceActivity: String { activity().name }

    /// Writes down a recording in memory.
    ///
    /// - Parameters:
    ///   - audio: the recording, of any rate.
    ///   - options: how speech is written down.
    /// - Returns: the text with its parts; empty if nobody speaks.
    /// - Throws: `SpeechError`, or `CancellationError`.
    public func transcribe(
        _ audio: AudioSamples, options: TranscriptionOptions = TranscriptionOptions()
    ) async throws -> Transcription {
        try await transcribe(RecordedSound(audio), options: options)
    }

    /// Writes down a recording that is read in pieces, so that its length costs no memory.
    ///
    /// The result is that of ``transcriptions(of:options:)`` with the same endpointing.
    ///
    /// - Parameters:
    ///   - source: the recording.
    ///   - options: how speech is written down.
    ///   - onProgress: called with how much of the sound has been read.
    ///   - onResult: called with each final result, in order.
    /// - Returns: the whole text with its parts; empty if nobody speaks.
    /// - Throws: `SpeechError`, or `CancellationError`.
    public func transcribe(
        _ source: some AudioSource, options: TranscriptionOptions = TranscriptionOptions(),
        onProgress: (Duration) -> Void = { _ in }, onResult: (TranscriptionResult) -> Void = { _ in }
    ) async throws -> Transcription {
        var machine = try TranscriptionMachine(
            options, languages: recognizer.languages, activity: activity(), live: false)
        var rate = SpeechRate()
        var texts: [String] = []
        var segments: [TranscriptionSegment] = []
        var chunks = source.chunks().makeAsyncIterator()
        loop: while true {
            switch machine.next() {
            case .wait:
                try Task.checkCancellation()
                let piece = try await Self.piece { try await chunks.next() }
                if let piece {
                    machine.append(rate.convert(piece))
                } else {
                    try Task.checkCancellation()
                    machine.append(rate.finish())
                    machine.finish()
                }
                onProgress(machine.duration)
            case .detectLanguage(let audio, let job):
                machine.detected(try await recognizer.detectLanguage(of: audio), by: job)
            case .recognize(let request, let job):
                machine.recognized(try await recognizer.recognize(request), by: job)
            case .deliver(let result):
                onResult(result)
                texts.append(result.text)
                segments += result.segments
            case .abandon: break
            case .finish: break loop
            }
        }
        let choice = machine.choice
        return Transcription(
            text: SpokenText.joined(texts, language: choice.map { options.task.language(ofText: $0.language) }),
            language: choice?.language, languageProbability: choice?.probability ?? 0,
            languageSource: choice?.source ?? .detected, segments: segments, duration: machine.duration,
            stats: machine.stats)
    }

    /// Writes down sound while it is recorded.
    ///
    /// The stream has results in the order of the speech. One that is not final replaces every earlier one that is not;
    /// final ones never change, and depend on the sound alone. The stream ends after the last utterance when the sound
    /// ends, or with a `SpeechError`. Ending the iteration or cancelling its task stops recognition within one token or
    /// one layer of the encoder; nothing is delivered afterwards.
    ///
    /// - Parameters:
    ///   - chunks: the sound, in pieces of any length and rate.
    ///   - options: how speech is written down; without endpointing, that of ``TranscriptionOptions/live``.
    /// - Returns: the results.
    public func transcriptions(
        of chunks: AsyncThrowingStream<AudioSamples, any Error>, options: TranscriptionOptions = .live
    ) -> AsyncThrowingStream<TranscriptionResult, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: TranscriptionResult.self)
        let session = LiveSession(recognizer: recognizer, activity: activity(), options: options)
        let task = Task { await session.run(chunks, to: continuation) }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Gives the model's memory back; afterwards every request throws `SpeechError` with the code `modelNotLoaded`.
    public func unload() async { await recognizer.unload() }

    /// A piece of sound, with errors of the source as errors of speech recognition.
    static func piece(_ next: () async throws -> AudioSamples?) async throws -> AudioSamples? {
        do {
            return try await next()
        } catch let error as AudioError {
            throw SpeechError(error)
        }
    }
}

/// A recording in memory as a source.
private struct RecordedSound: AudioSource {
    private let audio: AudioSamples

    init(_ audio: AudioSamples) {
        self.audio = audio
    }

    func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
        let step = max(1, audio.sampleRate / 2)
        let place = Place()
        return AsyncThrowingStream { [audio] in
            let range = await place.advance(by: step, in: audio.samples.count)
            return range.isEmpty
                ? nil : AudioSamples(samples: Array(audio.samples[range]), sampleRate: audio.sampleRate)
        }
    }

    private actor Place {
        private var place = 0

        func advance(by step: Int, in count: Int) -> Range<Int> {
            let start = place
            place = min(count, place + step)
            return start..<place
        }
    }
}
