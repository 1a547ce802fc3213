// SPDX-License-Identifier: Apache-2.0

/// A function that a runner cannot offer to its model.
public struct FunctionRefusal: Hashable, Sendable {
    /// The name of the function.
    public var name: String
    /// Why, in a sentence.
    public var reason: String

    /// Creates a refusal.
    public init(name: String, reason: String) { (self.name, self.reason) = (name, reason) }
}
