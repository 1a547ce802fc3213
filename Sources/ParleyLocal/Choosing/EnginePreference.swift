// SPDX-License-Identifier: Apache-2.0

/// Which engine is wanted.
public struct EnginePreference: Sendable, Hashable, CustomStringConvertible {
    /// The engine's name; nil for whichever fits first.
    public let name: String?

    /// The first engine that runs the model.
    public static let automatic = EnginePreference(name: nil)

    /// A certain engine and no other.
    public static func named(_ name: String) -> EnginePreference { EnginePreference(name: name) }

    /// `automatic`, or the engine's name.
    public var description: String { name ?? "automatic" }
}
