// SPDX-License-Identifier: Apache-2.0

/// The choice of an engine by the user.
public struct EnginePreference: Sendable, Hashable, CustomStringConvertible {
    /// The name of the engine; nil to choose automatically.
    public let name: String?

    /// The first engine that can run the model.
    public static let automatic = EnginePreference(name: nil)

    /// The engine with this name and no other.
    public static func named(_ name: String) -> EnginePreference { EnginePreference(name: name) }

    /// `automatic`, or the name of the engine.
    public var description: String { name ?? "automatic" }
}
