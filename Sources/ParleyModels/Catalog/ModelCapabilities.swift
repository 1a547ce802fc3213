// SPDX-License-Identifier: Apache-2.0

/// What a model can do, what an engine lets models do, or what is needed of them.
public struct ModelCapabilities: OptionSet, Codable, Hashable, Sendable, CustomStringConvertible {
    /// One bit for each capability.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// It answers messages.
    public static let chat = ModelCapabilities(rawValue: 1)
    /// It calls functions that are described in the prompt.
    public static let functions = ModelCapabilities(rawValue: 2)
    /// It can think before it answers.
    public static let reasoning = ModelCapabilities(rawValue: 4)
    /// It understands images.
    public static let vision = ModelCapabilities(rawValue: 8)

    /// It turns texts into vectors.
    public static let embeddings = ModelCapabilities(rawValue: 16)

    /// What every engine lets models do: all that is text.
    public static let text: ModelCapabilities = [.chat, .functions, .reasoning]

    /// The names of the capabilities in the set.
    public var names: [String] {
        [
            (Self.chat, "chat"), (.functions, "functions"), (.reasoning, "reasoning"), (.vision, "vision"),
            (.embeddings, "embeddings"),
        ]
        .filter { contains($0.0) }.map(\.1)
    }

    /// The names, separated by commas.
    public var description: String { names.joined(separator: ", ") }
}
