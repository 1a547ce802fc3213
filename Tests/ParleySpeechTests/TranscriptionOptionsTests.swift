// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
import ParleySpeech
import Testing

@Suite("Options of transcriptions")
struct TranscriptionOptionsTests {
    @Test("what is live has utterances, what is a file has windows")
    func presets() {
        #expect(TranscriptionOptions.live.endpointing == Endpointing())
        #expect(TranscriptionOptions().endpointing == nil)
    }

    @Test("utterances end within what a model hears at once")
    func boundsEndpointing() {
        let rules = Endpointing(pause: .zero, maximumDuration: .seconds(100))
        #expect(rules.pause == .milliseconds(100))
        #expect(rules.maximumDuration == .seconds(28))
    }
}
