// SPDX-License-Identifier: Apache-2.0

/// What happens in the course of a reply.
public enum GenerationEvent: Sendable, Hashable {
    /// A piece of the reply: whole characters, never empty.
    case text(String)
    /// The reply has ended; the last event.
    case finished(FinishReason, GenerationStatistics)
}
