// SPDX-License-Identifier: Apache-2.0

/// A handle to a running generation.
public protocol GenerationHandler: Sendable {
    /// Asks the generation to end.
    ///
    /// It ends within one token, or within one chunk of the prompt, with a last ``MessageResponse/complete(_:)`` whose
    /// reason is ``FinishReason/cancelled``. This function returns at once; later calls do nothing.
    func stop()
}
