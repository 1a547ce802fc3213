// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
import ParleySpeech
import Testing

@Suite("Transcribing recordings")
struct TranscribingTests {
    private static func model(_ recognizer: ScriptedRecognizer) -> SpeechModel { SpeechModel(recognizer: recognizer) }

    @Test("where nobody speaks the model is not run and the text is empty")
    func keepsSilent() async throws {
        let recognizer = ScriptedRecognizer()
        for sound in [[], Sounds.pause(5), Sounds.pause(5, level: 0.3), Sounds.tone(100, seconds: 5, level: 0.5)] {
            let result = try await Self.model(recognizer).transcribe(AudioSamples(samples: sound))
            #expect(result.text.isEmpty && result.segments.isEmpty)
            #expect(result.language == nil)
        }
        #expect(recognizer.requests.isEmpty && recognizer.detections.isEmpty)
    }

    @Test("speech apart by two seconds or more is recognised apart, and nothing conditions across the pause")
    func skipsPauses() async throws {
        let recognizer = ScriptedRecognizer { request in
            Recognition(
                text: " one", segments: [TranscriptionSegment(text: " one", range: request.speech)],
                consumed: request.audio.duration, language: request.language)
        }
        let sound = Sounds.pause(1) + Sounds.speech(3) + Sounds.pause(4) + Sounds.speech(2) + Sounds.pause(3)
        let result = try await Self.model(recognizer).transcribe(AudioSamples(samples: sound))
        #expect(result.text == "one one")
        #expect(result.duration == .seconds(13))
        #expect(recognizer.requests.count == 2)
        #expect(recognizer.requests.allSatisfy { $0.prompt == nil && $0.context == nil })
        #expect(result.segments.count == 2)
        let starts = result.segments.map(\.range.lowerBound)
        #expect(starts[0] > .milliseconds(950) && starts[0] < .milliseconds(1100))
        #expect(starts[1] > .milliseconds(7950) && starts[1] < .milliseconds(8100))
    }

    @Test("a window goes on where the last segment ended, with its text as the context", arguments: [0.0, 0.4, 0.6])
    func continuesWindows(temperature: Double) async throws {
        let recognizer = ScriptedRecognizer { request in
            let consumed = min(request.audio.duration, .seconds(20))
            var recognition = Recognition(
                text: "part", segments: [TranscriptionSegment(text: "part", range: .zero..<consumed)],
                consumed: consumed, language: request.language)
            recognition.temperature = temperature
            return recognition
        }
        let options = TranscriptionOptions(language: "en", prompt: "names")
        let sound = AudioSamples(samples: Sounds.speech(65) + Sounds.pause(1))
        let result = try await Self.model(recognizer).transcribe(sound, options: options)
        #expect(result.text == "part part part part")
        #expect(recognizer.requests.allSatisfy { $0.prompt == "names" })
        let context = temperature < 0.5 ? "part" : nil
        #expect(recognizer.requests.map(\.context) == [nil, context, context, context])
        #expect(recognizer.requests[0].audio.duration > .milliseconds(29_950))
        let ends = result.segments.map(\.range)
        #expect(zip(ends, ends.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    }

    @Test(
        "a recogniser that does not get on ends anyway", arguments: [Duration.zero, .milliseconds(900), .seconds(-3)])
    func endsWhereNothingIsConsumed(consumed: Duration) async throws {
        let recognizer = ScriptedRecognizer { request in
            Recognition(text: "a", segments: [], consumed: consumed, language: request.language)
        }
        _ = try await Self.model(recognizer).transcribe(AudioSamples(samples: Sounds.speech(95)))
        #expect(recognizer.requests.count == 4)
    }

    @Test("the language is detected once, on the first speech of a second, and kept")
    func detectsLanguageOnce() async throws {
        let recognizer = ScriptedRecognizer()
        let sound = Sounds.pause(1) + Sounds.speech(0.6) + Sounds.pause(3) + Sounds.speech(3) + Sounds.pause(3)
        let audio = AudioSamples(samples: sound + Sounds.speech(3))
        let result = try await Self.model(recognizer).transcribe(audio)
        #expect(recognizer.detections.count == 2)
        #expect(recognizer.requests.map(\.language) == ["de", "de", "de"])
        #expect(result.language == "de" && result.languageSource == .detected && result.languageProbability == 0.9)
    }

    @Test("below a probability of 0.5 the user's language is assumed, and the result says so")
    func assumesLanguage() async throws {
        let recognizer = ScriptedRecognizer(detected: ("ja", 0.3))
        var options = TranscriptionOptions()
        options.assumedLanguage = "en_US"
        let result = try await Self.model(recognizer).transcribe(
            AudioSamples(samples: Sounds.speech(3)), options: options)
        #expect(result.language == "en" && result.languageSource == .assumed)
        options.assumedLanguage = "tlh"
        let other = try await Self.model(recognizer).transcribe(
            AudioSamples(samples: Sounds.speech(3)), options: options)
        #expect(other.language == "ja" && other.languageSource == .detected)
    }

    @Test("a language that the model does not know is refused before anything is read")
    func refusesLanguages() async throws {
        let recognizer = ScriptedRecognizer()
        let error = await #expect(throws: SpeechError.self) {
            try await Self.model(recognizer).transcribe(AudioSamples(samples: []), options: .init(language: "xx"))
        }
        #expect(error?.code == .invalidInput)
        let regional = try await Self.model(recognizer).transcribe(
            AudioSamples(samples: Sounds.speech(1)), options: .init(language: "de-AT"))
        #expect(regional.language == "de" && regional.languageSource == .given)
    }

    @Test("a language is known by the codes of systems too", arguments: ["nb", "nb_NO", "NO"])
    func knowsOtherCodes(code: String) async throws {
        let recognizer = ScriptedRecognizer(languages: ["en", "no"], detected: ("en", 0.3))
        var options = TranscriptionOptions(language: code)
        let sound = AudioSamples(samples: Sounds.speech(2))
        #expect(try await Self.model(recognizer).transcribe(sound, options: options).language == "no")
        (options.language, options.assumedLanguage) = (nil, code)
        let assumed = try await Self.model(recognizer).transcribe(sound, options: options)
        #expect(assumed.language == "no" && assumed.languageSource == .assumed)
    }

    @Test("sound of another rate is recognised at 16 kHz")
    func resamples() async throws {
        let recognizer = ScriptedRecognizer()
        let audio = AudioSamples(samples: Sounds.speech(3) + Sounds.pause(1)).resampled(to: 44_100)
        _ = try await Self.model(recognizer).transcribe(audio)
        #expect(recognizer.requests.count == 1)
        #expect(recognizer.requests.allSatisfy { $0.audio.sampleRate == 16_000 })
    }

    @Test("texts in languages without blanks are joined without them")
    func joinsTexts() async throws {
        let recognizer = ScriptedRecognizer(detected: ("ja", 1)) { request in
            Recognition(text: "あ", segments: [], consumed: request.audio.duration, language: request.language)
        }
        let sound = AudioSamples(samples: Sounds.speech(2) + Sounds.pause(3) + Sounds.speech(2))
        #expect(try await Self.model(recognizer).transcribe(sound).text == "ああ")
        let translation = TranscriptionOptions(task: .translate)
        #expect(try await Self.model(recognizer).transcribe(sound, options: translation).text == "あ あ")
    }

    @Test("memory does not grow with the length of the sound")
    func forgetsSound() async throws {
        var machine = try TranscriptionMachine(
            TranscriptionOptions(language: "en"), languages: ["en"], activity: EnergyVoiceActivity(), live: false)
        let minute = Sounds.speech(50) + Sounds.pause(10)
        var longest = 0
        for _ in 0..<6 {
            for start in stride(from: 0, to: minute.count, by: 8000) {
                machine.append(Array(minute[start..<(start + 8000)]))
                loop: while true {
                    switch machine.next() {
                    case .recognize(let request, let job):
                        machine.recognized(ScriptedRecognizer.fingerprint(request), by: job)
                    case .deliver: break
                    default: break loop
                    }
                }
                longest = max(longest, machine.heldCount)
            }
        }
        #expect(longest < 34 * 16_000)
    }
}
