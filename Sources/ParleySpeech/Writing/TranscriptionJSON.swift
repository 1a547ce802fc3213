// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
public import ParleyJSON

extension Transcription {
    /// The transcription in the form of OpenAI's `verbose_json`, with times in seconds.
    ///
    /// - Parameters:
    ///   - task: what was done with the speech.
    ///   - words: whether words are listed too.
    /// - Returns: an object.
    public func json(task: TranscriptionTask = .transcribe, words: Bool = false) -> JSONValue {
        var object: JSONObject = [
            "task": .string(task.description),
            "language": language.map { .string($0) } ?? .null,
            "language_probability": .number(Self.rounded(languageProbability)),
            "language_source": .string(languageSource.description),
            "duration": .number(Self.seconds(duration)),
            "text": .string(text),
            "segments": .array(segments.enumerated().map { Self.json($0.element, id: $0.offset) }),
        ]
        if words { object["words"] = .array(segments.flatMap(\.words).map(Self.json)) }
        return .object(object)
    }

    private static func json(_ segment: TranscriptionSegment, id: Int) -> JSONValue {
        [
            "id": .integer(id),
            "start": .number(seconds(segment.range.lowerBound)),
            "end": .number(seconds(segment.range.upperBound)),
            "text": .string(segment.text),
            "temperature": .number(rounded(segment.temperature)),
            "avg_logprob": .number(rounded(segment.averageLogProbability)),
            "compression_ratio": .number(rounded(segment.compressionRatio)),
            "no_speech_prob": .number(rounded(segment.noSpeechProbability)),
        ]
    }

    private static func json(_ word: WordTiming) -> JSONValue {
        [
            "word": .string(word.word),
            "start": .number(seconds(word.range.lowerBound)),
            "end": .number(seconds(word.range.upperBound)),
            "probability": .number(rounded(word.probability)),
        ]
    }

    /// A time in seconds, to the millisecond.
    private static func seconds(_ time: Duration) -> Double { (time.inSeconds * 1000).rounded() / 1000 }

    private static func rounded(_ value: Double) -> Double { value.isFinite ? (value * 10_000).rounded() / 10_000 : 0 }
}
