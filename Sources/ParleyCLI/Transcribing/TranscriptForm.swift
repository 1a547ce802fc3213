// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyJSON
package import ParleySpeech

/// The forms in which a transcription is written.
package enum TranscriptForm: String, CaseIterable, Sendable, EnumerableFlag {
    case text
    case json
    case srt
    case vtt

    /// How the names of such files end.
    package var fileExtension: String { self == .text ? "txt" : rawValue }

    /// A transcription in this form, ending in a line feed.
    ///
    /// - Parameters:
    ///   - result: the transcription.
    ///   - file: the name of the file for JSON, where there are several.
    ///   - task: what was done with the speech.
    ///   - words: whether JSON lists words.
    ///   - voiceActivity: what told where somebody speaks, for JSON.
    /// - Returns: the text.
    package func text(
        _ result: Transcription, file: String?, task: TranscriptionTask, words: Bool, voiceActivity: String? = nil
    ) -> String {
        switch self {
        case .text: return Self.lines(result.segments, text: result.text)
        case .srt: return result.srt
        case .vtt: return result.vtt
        case .json:
            var object: JSONObject = [:]
            if let file { object["file"] = .string(file) }
            if case .object(let members) = result.json(task: task, words: words) {
                for (name, value) in members { object[name] = value }
            }
            if let voiceActivity { object["voice_activity"] = .string(voiceActivity) }
            let stats = result.stats
            object["stats"] = [
                "encodings": .integer(stats.encodings), "decodings": .integer(stats.decodings),
                "tokens": .integer(stats.tokens), "encoding_seconds": .number(Self.seconds(stats.encodingTime)),
                "decoding_seconds": .number(Self.seconds(stats.decodingTime)),
            ]
            return JSONValue.object(object).text() + "\n"
        }
    }

    /// A time in seconds, to a tenth of a millisecond.
    private static func seconds(_ time: Duration) -> Double { (time / .microseconds(100)).rounded() / 10_000 }

    /// A line for each segment; the whole text where there are none.
    package static func lines(_ segments: [TranscriptionSegment], text: String) -> String {
        let texts = segments.isEmpty ? [text] : segments.map(\.text)
        return texts.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
    }
}
