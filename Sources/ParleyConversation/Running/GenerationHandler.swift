// SPDX-License-Identifier: Apache-2.0

/// A handle to a running generation.
public protocol GenerationHandler: Sendable {
    /// Asks the generation to end; it does so within one token, or one chunk of the prompt, with a last
    /// ``MessageResponse/complete(_:)`` of reason ``FinishReason/cancelled``. Returns at once; later calls do nothing.
    func stop()
}
