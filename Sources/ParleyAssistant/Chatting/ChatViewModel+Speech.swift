// SPDX-License-Identifier: Apache-2.0

extension ChatViewModel {
    /// Begins to record speech, or ends the recording, which is then transcribed into ``inputText``, behind what is there.
    ///
    /// However a recording ends, by hand or by silence, its transcript is sent if the settings say so.
    public func toggleSpeech() {
        guard let speech = dependencies.speech else { return report(SpeechFailure.noMicrophone.description) }
        guard isRecording else {
            (isRecording, isTranscribing, discardsSpeech) = (true, false, false)
            dependencies.haptics?.play(.voiceStarted)
            speechWork = Task { [weak self] in await self?.record(speech) }
            return
        }
        finishSpeech()
    }

    /// Ends the recording, which is then transcribed as ``toggleSpeech()`` says. Nothing happens if it has ended by itself
    /// meanwhile.
    public func finishSpeech() {
        guard isRecording, let speech = dependencies.speech else { return }
        Task { await speech.finish() }
    }

    /// Ends the recording and forgets it; nothing is sent.
    public func cancelSpeech() {
        guard isRecording, !discardsSpeech, let speech = dependencies.speech else { return }
        discardsSpeech = true
        dependencies.haptics?.play(.voiceCancelled)
        Task { await speech.discard() }
    }

    /// Waits until no speech is being recorded or transcribed.
    public func speechSettled() async { await speechWork?.value }

    private func record(_ speech: any SpeechInput) async {
        let limit = Task { [clock = dependencies.clock] in
            try await clock.sleep(for: Self.longestRecording)
            await speech.finish()
        }
        defer { limit.cancel() }
        let before = inputText
        var hasTranscript = false
        do {
            for try await event in speech.record() where !discardsSpeech {
                switch event {
                case .partial(let text): inputText = Self.adding(text, to: before)
                case .transcribing: isTranscribing = true
                case .transcript(let text): (inputText, hasTranscript) = (Self.adding(text, to: before), true)
                }
            }
        } catch {
            // After the user has cancelled, how the recording ended is of no interest.
            if !discardsSpeech { report(error is CancellationError ? SpeechFailure.failed.description : "\(error)") }
        }
        if !hasTranscript { inputText = before }
        (isTranscribing, isRecording) = (false, false)
        guard hasTranscript else { return }
        dependencies.haptics?.play(.voiceDone)
        if dependencies.settings().sendsSpeech { send() }
    }

    /// A draft with what was said behind it.
    private static func adding(_ text: String, to draft: String) -> String {
        if draft.isEmpty || text.isEmpty { return draft + text }
        return draft + (draft.last?.isWhitespace == true ? "" : " ") + text
    }

    /// Follows what the coordinator of hands-free use does, until the task is cancelled.
    public func followHandsFree() async {
        guard let coordinator = dependencies.handsFree else { return }
        for await isListening in coordinator.listening() { isAutoListening = isListening }
    }
}
