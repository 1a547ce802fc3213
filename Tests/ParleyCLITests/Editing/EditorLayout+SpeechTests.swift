// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("A message that is being spoken")
struct EditorLayoutSpeechTests {
    private func rows(_ speech: String, _ isTranscribing: Bool = false, columns: Int) -> [String] {
        EditorLayout(
            speech: speech, isTranscribing: isTranscribing, seconds: 3, prompt: "> ", columns: columns
        ).rows
    }

    @Test("before the first word there is only what goes on, then it is below the words")
    func remark() {
        #expect(rows("", columns: 80) == ["> Listening, 3 s · Enter ends · Esc discards"])
        #expect(rows("Call Anna", columns: 60) == ["> Call Anna", "  Listening, 3 s · Enter ends · Esc discards"])
        #expect(rows("Call Anna", true, columns: 60) == ["> Call Anna", "  Writing it down · Esc discards"])
    }

    @Test("words that do not fit go on in the next row, and the cursor is behind the last one")
    func wraps() {
        let layout = EditorLayout(
            speech: "Remind me to call Anna", isTranscribing: false, seconds: 0, prompt: "> ", columns: 20)
        #expect(layout.rows.prefix(2).map { DisplayWidth.of($0) }.allSatisfy { $0 <= 20 })
        #expect(layout.cursorRow == 1)
    }
}
