// SPDX-License-Identifier: Apache-2.0

/// What happens while a message is spoken.
public enum DictationEvent: Hashable, Sendable {
    /// What was understood so far; it may still change.
    case words(String)
    /// The recording has ended, by hand or by itself, and is being written down.
    case transcribing
    /// The whole message; the last event.
    case transcript(String, language: String)
}
