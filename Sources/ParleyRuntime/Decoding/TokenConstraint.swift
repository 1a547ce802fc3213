// SPDX-License-Identifier: Apache-2.0

/// What says which tokens may come next in a reply.
///
/// A ``Generation`` asks it before each token. Whoever iterates the generation tells it what came, in whatever terms it
/// wants to know.
public protocol TokenConstraint: Sendable {
    /// Sets a mask to the tokens that may come next.
    ///
    /// - Parameter mask: allows nothing when passed in.
    /// - Returns: False where every token may come; the mask is to be left as it is then.
    mutating func allow(into mask: inout TokenMask) -> Bool
}
