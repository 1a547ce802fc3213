// SPDX-License-Identifier: Apache-2.0

import ParleySpeech

/// Reads messages that are spoken or typed.
struct SpokenPrompt {
    let reader: LineReader
    let desk: VoiceDesk?
    let console: Console

    private static let prompt = "> "

    /// Reads the next message: spoken, where the user speaks, or typed. `record` begins to record, and returns the board
    /// and how the recording is forgotten.
    func read(
        isolation: isolated (any Actor)? = #isolation,
        _ record: () -> (board: SpeechBoard, discard: () async -> Void)?
    ) async -> LineReader.Input {
        guard let desk, desk.listensNext, let (board, discard) = record() else { return await typed() }
        switch await reader.listen(prompt: Self.prompt, to: board, sends: desk.sends) {
        case .over(.text(let text)):
            return desk.sends ? .message(text) : await typed(editing: text)
        case .over(.failed(let error)):
            // Who is not heard types, or presses Enter to be heard again.
            desk.listensNext = false
            let again =
                (error as? SpeechError)?.code == .microphoneUnavailable ? "" : " Enter on an empty line listens again."
            if !(error is CancellationError) { console.note(ErrorText.of(error) + again) }
            return await typed()
        case .typing, .discarded:
            await discard()
            desk.listensNext = false
            return await typed()
        case .endOfInput:
            await discard()
            return .endOfInput
        }
    }

    private func typed(
        editing text: String = "", isolation: isolated (any Actor)? = #isolation
    ) async -> LineReader.Input {
        let input = await reader.read(prompt: Self.prompt, editing: text)
        // A message that was typed is answered like any other, and then it is the turn of the voice again.
        if case .message = input { desk?.listensNext = true }
        return input
    }
}
