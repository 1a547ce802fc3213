// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sounds of messages as text. A sound is written down once and remembered, because each prompt has the whole history.
package actor SoundTranscripts {
    private let transcriber: any SpeechTranscribing
    private var known: [Key: String] = [:]
    private var order: [Key] = []

    /// So many sounds are remembered.
    private static let limit = 64

    /// Stands for a sound whose bytes, which may be many, are not kept: two hashes of all of them.
    private struct Key: Hashable {
        private let hashes: [Int]

        init(_ wav: Data) {
            hashes = (0..<2).map { number in
                var hasher = Hasher()
                hasher.combine(number)
                wav.withUnsafeBytes { hasher.combine(bytes: $0) }
                return hasher.finalize()
            }
        }
    }

    /// Remembers nothing yet.
    package init(_ transcriber: any SpeechTranscribing) {
        self.transcriber = transcriber
    }

    /// The messages with text in the place of sounds; those of the model itself stay.
    ///
    /// - Parameter messages: the messages.
    /// - Returns: the messages, and how many sounds were replaced.
    /// - Throws: ``ConversationError`` with code `invalidInput`; `CancellationError`.
    package func written(_ messages: [ChatMessage]) async throws -> (messages: [ChatMessage], count: Int) {
        var messages = messages
        var count = 0
        for index in messages.indices where messages[index].role != .assistant {
            for (place, part) in messages[index].content.enumerated() {
                guard case .audio(let wav) = part else { continue }
                messages[index].content[place] = .text(try await text(of: wav))
                count += 1
            }
        }
        return (messages, count)
    }

    private func text(of wav: Data) async throws -> String {
        let key = Key(wav)
        if let text = known[key] { return text }
        do {
            let text = try await transcriber.transcript(of: wav)
            if known.updateValue(text, forKey: key) == nil { order.append(key) }
            if order.count > Self.limit { known[order.removeFirst()] = nil }
            return text
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ConversationError(
                .invalidInput,
                "A sound in a message could not be written down; the error's cause says why. Leave it out, or write what "
                    + "it says.", cause: error)
        }
    }
}
