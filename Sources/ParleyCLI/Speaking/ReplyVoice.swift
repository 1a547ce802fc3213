// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import Synchronization

/// Ends a reply from elsewhere.
final class ReplyStop: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    /// Says how the reply is ended.
    func set(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

    /// Ends the reply, if it has begun.
    func stop() { action.withLock { $0 }?() }
}

/// Reads one reply aloud until it ends, a key is pressed or somebody speaks.
final class ReplyVoice: Sendable {
    private let reading: ReadingAloud
    private let desk: VoiceDesk
    private let keys: KeyWatch
    private let keyTask: Task<Void, Never>
    private let ears: Task<HeardSound?, any Error>?

    /// Begins with an empty reply; nil where nothing is to be read aloud.
    ///
    /// - Parameters:
    ///   - desk: the voice and the microphone.
    ///   - reader: reads the keys, nothing else meanwhile.
    ///   - onSpeech: called when somebody speaks.
    init?(_ desk: VoiceDesk?, reader: LineReader, onSpeech: @escaping @Sendable () -> Void) {
        guard let desk, let reading = desk.readingAloud() else { return nil }
        let keys = KeyWatch()
        (self.desk, self.reading, self.keys) = (desk, reading, keys)
        keyTask = Task { if await reader.waitForKey(keys) { reading.stop() } }
        ears =
            desk.hears
            ? Task { [microphone = desk.microphone] in
                guard await reading.begins() else { return nil }
                let heard = try await Interruption.wait(on: microphone)
                guard let heard, !Task.isCancelled else { return nil }
                reading.stop()
                onSpeech()
                return heard
            } : nil
    }

    /// Adds a piece of the reply.
    func append(_ piece: String) { reading.append(piece) }

    /// Falls silent at once.
    func stop() { reading.stop() }

    /// Keys are wanted for something else from now on; they no longer silence the voice.
    func releaseKeys() async {
        keys.stop()
        await keyTask.value
    }

    /// Waits until all is said; Ctrl-C ends it too. What was stopped is not said to its end, and a voice that fails is
    /// told of once.
    func conclude(
        isStopped: Bool, _ console: Console, isolation: isolated (any Actor)? = #isolation
    ) async {
        if isStopped { reading.stop() }
        do {
            try await Interrupts.shared.handling({ [reading] in reading.stop() }) { try await finish() }
        } catch {
            if desk.tellsOfVoice() { console.error(ErrorText.of(error)) }
        }
    }

    /// Waits until all is said, or until it was stopped. What was heard of who interrupted is kept for the next message.
    ///
    /// - Throws: `SpeechError`, if the voice fails.
    private func finish() async throws {
        reading.finish()
        let result: Result<Void, any Error>
        do {
            result = .success(try await reading.ended())
        } catch {
            result = .failure(error)
        }
        keys.stop()
        await keyTask.value
        ears?.cancel()
        // A microphone that fails is told of where it is needed.
        if let heard = try? await ears?.value { desk.keep(heard) }
        try result.get()
    }
}
