// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyRuntime

/// How an engine makes embeddings: its functions for models that turn texts into vectors.
public struct EmbeddingSupport: Sendable {
    /// Loads a file or directory, depending on the format, and reports the completed fraction from 0 to 1.
    public typealias Loader =
        @Sendable (URL, LocalConfiguration, _ progress: @escaping @Sendable (Double) -> Void) async throws ->
        any EmbeddingModel

    /// Returns why it cannot make embeddings with a model, judged by the header alone; nil if it can, or if only loading
    /// would show a problem.
    public var refusal: @Sendable (URL) -> String?
    /// Loads a model.
    public var load: Loader

    /// Creates a description.
    public init(refusal: @escaping @Sendable (URL) -> String? = { _ in nil }, load: @escaping Loader) {
        self.refusal = refusal
        self.load = load
    }
}
