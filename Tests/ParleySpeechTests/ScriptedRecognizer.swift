// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
import ParleySpeech
import Synchronization

/// A recogniser whose text follows from the sound by a rule, so that tests see which sound was recognised.
final class ScriptedRecognizer: SpeechRecognizer {
    typealias Rule = @Sendable (RecognitionRequest) throws -> Recognition

    let languages: [String]
    private let rule: Rule
    private let detected: (language: String, probability: Double)
    private let seen = Mutex<(requests: [RecognitionRequest], detections: [AudioSamples])>(([], []))

    init(
        languages: [String] = ["en", "de", "ja"], detected: (language: String, probability: Double) = ("de", 0.9),
        rule: @escaping Rule = { ScriptedRecognizer.fingerprint($0) }
    ) {
        (self.languages, self.detected, self.rule) = (languages, detected, rule)
    }

    var requests: [RecognitionRequest] { seen.withLock { $0.requests } }
    var detections: [AudioSamples] { seen.withLock { $0.detections } }

    func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) {
        seen.withLock { $0.detections.append(audio) }
        return detected
    }

    func recognize(_ request: RecognitionRequest) async throws -> Recognition {
        seen.withLock { $0.requests.append(request) }
        return try rule(request)
    }

    /// A text that is another for every other sound, prompt and language, in one segment; all of the stretch is consumed.
    static func fingerprint(_ request: RecognitionRequest) -> Recognition {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for sample in request.audio.samples { hash = (hash ^ UInt64(sample.bitPattern)) &* 1_099_511_628_211 }
        for byte in "\(request.prompt ?? "") \(request.context ?? "") \(request.language)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        let text = "\(request.audio.samples.count)-\(hash)"
        return Recognition(
            text: text, segments: [TranscriptionSegment(text: " \(text)", range: request.speech)],
            tokens: [Int32(truncatingIfNeeded: hash)], consumed: request.audio.duration, language: request.language)
    }
}
