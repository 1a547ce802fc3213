// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation

/// About how many tokens a request takes, by which the ``FairQueue`` shares turns: those that are read, and the most that
/// may be written.
package enum RequestCost {
    /// What a reply without a limit counts as.
    private static let usualReply = 1_024
    /// What a reply counts as at most.
    private static let longestReply = 1 << 20

    /// Of reading texts of so many bytes. Four bytes a token are usual; a count would need the model.
    package static func reading(bytes: Int) -> Int { bytes / 4 }

    /// Of reading tokens.
    package static func reading(_ tokens: [Int32]) -> Int { tokens.count }

    /// Of reading messages.
    package static func reading(_ messages: [ChatMessage]) -> Int {
        reading(bytes: messages.reduce(0) { $0 + $1.text.utf8.count })
    }

    /// Of writing a sound down: people say some four tokens a second. How long it is follows from its bytes where nothing
    /// says so: those of WAV are twice as many, and those of other forms fewer.
    package static func hearing(bytes: Int, duration: Duration? = nil) -> Int {
        let seconds = duration.map { Int(clamping: $0.components.seconds) } ?? bytes / 16_000
        return 4 * (min(seconds, longestReply) + 1)
    }

    /// Of writing replies.
    package static func writing(_ options: GenerationOptions, replies: Int = 1) -> Int {
        replies * min(options.maxTokens ?? usualReply, longestReply)
    }
}
