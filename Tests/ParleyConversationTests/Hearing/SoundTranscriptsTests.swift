// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import Synchronization
import Testing

@Suite("Sounds in messages")
struct SoundTranscriptsTests {
    /// Writes down how long a sound is; none is longer than five bytes.
    private final class Counting: SpeechTranscribing {
        struct Failure: Error {}
        private let count = Mutex(0)

        var calls: Int { count.withLock { $0 } }

        func transcript(of wav: Data) async throws -> String {
            count.withLock { $0 += 1 }
            if wav.count > 5 { throw Failure() }
            return "\(wav.count) bytes"
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)

        var isSet: Bool { value.withLock { $0 } }

        func set() { value.withLock { $0 = true } }
    }

    @Test("sounds of the user become text once, and those of the model stay")
    func writesSounds() async throws {
        let counting = Counting()
        let transcripts = SoundTranscripts(counting)
        let sound = ChatMessageContent.audio(Data([1, 2, 3]))
        let messages = [
            ChatMessage(role: .user, content: [.text("Hear:"), sound]),
            ChatMessage(role: .assistant, content: [sound]),
            ChatMessage(role: .user, content: [sound, .audio(Data([1]))]),
        ]
        let (written, count) = try await transcripts.written(messages)
        #expect(count == 3)
        #expect(
            written.map(\.content) == [
                [.text("Hear:"), .text("3 bytes")], [sound], [.text("3 bytes"), .text("1 bytes")],
            ])
        #expect(written.map(\.id) == messages.map(\.id))
        _ = try await transcripts.written(messages)
        #expect(counting.calls == 2)
    }

    @Test("what was written down of a sound is remembered, and not its bytes")
    func letsGo() async throws {
        let counting = Counting()
        let transcripts = SoundTranscripts(counting)
        let freed = Flag()
        func write() async throws {
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: 5, alignment: 1)
            bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 5)
            let free: @Sendable (UnsafeMutableRawPointer, Int) -> Void = { bytes, _ in
                bytes.deallocate()
                freed.set()
            }
            let sound = Data(bytesNoCopy: bytes, count: 5, deallocator: .custom(free))
            _ = try await transcripts.written([ChatMessage(role: .user, content: [.audio(sound)])])
        }
        try await write()
        #expect(freed.isSet)
        try await write()
        #expect(counting.calls == 1)
    }

    @Test("a sound that cannot be written down is invalid input, and not what was said in the error")
    func fails() async throws {
        let message = ChatMessage(role: .user, content: [.audio(Data(count: 9))])
        let error = await #expect(throws: ConversationError.self) {
            try await SoundTranscripts(Counting()).written([message])
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.cause is Counting.Failure)
        #expect(error?.message.contains("Leave it out") == true)
    }
}
