// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import ParleyJSON
import ParleySpeech

/// The forms of answers of `/v1/audio/transcriptions`.
struct TranscriptionAnswer {
    private let wanted: TranscriptionRequest

    init(_ wanted: TranscriptionRequest) {
        self.wanted = wanted
    }

    /// The answer.
    func response(_ result: Transcription) -> Response {
        switch wanted.form {
        case .json: Answer.json(["text": .string(result.text), "usage": usage(result)])
        case .text: Answer.text(result.text + "\n", type: "text/plain; charset=utf-8")
        case .srt: Answer.text(result.srt, type: "text/plain; charset=utf-8")
        case .vtt: Answer.text(result.vtt, type: "text/vtt; charset=utf-8")
        case .verbose: Answer.json(verbose(result))
        }
    }

    private func usage(_ result: Transcription) -> JSONValue {
        let (seconds, rest) = result.duration.components
        return ["type": "duration", "seconds": .integer(Int(clamping: rest > 0 ? seconds + 1 : seconds))]
    }

    private func verbose(_ result: Transcription) -> JSONValue {
        let all = result.json(task: wanted.options.task, words: wanted.listsWords)
        var members: JSONObject = [
            "task": all["task"] ?? "transcribe",
            "language": .string(Self.name(of: result.language)),
            "duration": all["duration"] ?? 0,
            "text": .string(result.text),
        ]
        if wanted.listsSegments {
            members["segments"] = .array(
                (all["segments"]?.array ?? []).map { segment in
                    // What OpenAI's clients require of a segment; the model's own tokens are not told.
                    let own: JSONObject = ["seek": 0, "tokens": []]
                    return .object((segment.object ?? [:]).merging(own) { mine, _ in mine })
                })
        }
        if wanted.listsWords { members["words"] = all["words"] }
        members["usage"] = usage(result)
        return .object(members)
    }

    /// The name of a language in English and small letters, as OpenAI writes it.
    private static func name(of code: String?) -> String {
        guard let code else { return "" }
        return Locale(identifier: "en_US").localizedString(forLanguageCode: code)?.lowercased() ?? code
    }
}
