// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What writes down sounds in messages for a model that hears nothing.
public protocol SpeechTranscribing: Sendable {
    /// Writes down what is said in a sound.
    ///
    /// - Parameter wav: the bytes of a WAV file.
    /// - Returns: the text; empty if nobody speaks.
    /// - Throws: any error, which becomes the cause of a ``ConversationError``; `CancellationError`.
    func transcript(of wav: Data) async throws -> String
}
