// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile
public import ParleyRuntime

/// An engine that models can be loaded into: what it reads, what it can do and how it is started.
public struct EngineDescriptor: Sendable {
    /// Loads a file; the context is what it was loaded for, in tokens.
    public typealias Loader =
        @Sendable (URL, LocalConfiguration, _ progress: @escaping @Sendable (Double) -> Void) async throws -> (
            model: any TokenModel, contextSize: Int
        )

    /// The engine's name in commands and messages.
    public var name: String
    /// The formats that it reads.
    public var formats: Set<ModelFormat>
    /// What it can do beyond text.
    public var capabilities: EngineCapabilities
    /// Why it cannot run on this machine at all, such as a library that is missing or too old; nil where it can.
    public var problem: @Sendable () -> String?
    /// Why it does not run a model of a format it reads, from the file's header alone; nil where it does, or where this
    /// shows only during loading.
    public var refusal: @Sendable (URL) -> String?
    /// Loads a file.
    public var load: Loader

    /// Creates a description.
    public init(
        name: String, formats: Set<ModelFormat>, capabilities: EngineCapabilities = [],
        problem: @escaping @Sendable () -> String? = { nil },
        refusal: @escaping @Sendable (URL) -> String? = { _ in nil }, load: @escaping Loader
    ) {
        self.name = name
        self.formats = formats
        self.capabilities = capabilities
        self.problem = problem
        self.refusal = refusal
        self.load = load
    }
}

/// What an engine can do beyond text.
public struct EngineCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// It reads images, with a projector that fits the model.
    public static let images = EngineCapabilities(rawValue: 1)
    /// It can run on a graphics processor.
    public static let graphicsProcessor = EngineCapabilities(rawValue: 2)
}
