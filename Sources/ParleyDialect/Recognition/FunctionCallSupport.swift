// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// How a model is told of functions and how it calls them, as its chat template shows.
public struct FunctionCallSupport: Hashable, Sendable {
    /// How calls are written; ``FunctionCallFormat/rawText`` for a template whose format is not known.
    public var format: FunctionCallFormat
    /// Whether the functions go to the template. Otherwise they are described in the system message.
    public var takesFunctions: Bool

    /// Creates a description of what a model can do.
    public init(format: FunctionCallFormat, takesFunctions: Bool) {
        self.format = format
        self.takesFunctions = takesFunctions
    }
}
