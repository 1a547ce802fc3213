// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyRuntime

/// An engine that models can be loaded into.
public struct EngineDescriptor: Sendable {
    /// Loads a file; the context is what it was loaded for, in tokens.
    public typealias Loader =
        @Sendable (URL, LocalConfiguration, _ progress: @escaping @Sendable (Double) -> Void) async throws -> (
            model: any TokenModel, contextSize: Int
        )

    /// The engine's name, for messages.
    public var name: String
    /// Whether a file is of a kind that the engine reads, as its name shows.
    public var reads: @Sendable (URL) -> Bool
    /// Loads a file.
    public var load: Loader

    /// Creates a description.
    public init(name: String, reads: @escaping @Sendable (URL) -> Bool, load: @escaping Loader) {
        self.name = name
        self.reads = reads
        self.load = load
    }
}
