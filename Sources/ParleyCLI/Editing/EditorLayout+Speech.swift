// SPDX-License-Identifier: Apache-2.0

extension EditorLayout {
    /// A message that is being spoken, and below it what goes on and which keys there are.
    ///
    /// - Parameters:
    ///   - speech: what was understood so far.
    ///   - isTranscribing: whether the recording has ended.
    ///   - seconds: how long it takes so far.
    ///   - prompt: the text before the message.
    ///   - columns: the terminal's width.
    package init(speech: String, isTranscribing: Bool, seconds: Int, prompt: String, columns: Int) {
        let state = isTranscribing ? "Writing it down" : "Listening, \(seconds) s · Enter ends"
        let remark = "\(state) · Esc discards"
        self.init(
            prompt: prompt, before: speech, after: speech.isEmpty ? remark : "\n" + remark, columns: columns)
    }
}
