// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// How functions are described to a model and how it calls them, according to its chat template.
public struct FunctionCallSupport: Hashable, Sendable {
    /// The format of calls; ``FunctionCallFormat/rawText`` for a template with an unknown format.
    public var format: FunctionCallFormat
    /// Whether functions are passed to the template. Otherwise they are described in the system message.
    public var takesFunctions: Bool

    /// Creates a description of a model's support.
    public init(format: FunctionCallFormat, takesFunctions: Bool) {
        self.format = format
        self.takesFunctions = takesFunctions
    }
}
