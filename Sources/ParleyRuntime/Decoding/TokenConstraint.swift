// SPDX-License-Identifier: Apache-2.0

/// Decides which tokens may come next in a reply.
///
/// A ``Generation`` asks it before each token. The code that iterates the generation tells it the token that was drawn,
/// through whatever functions it has for that.
package protocol TokenConstraint: Sendable {
    /// Sets a mask to the tokens that may come next.
    ///
    /// - Parameter mask: allows nothing when passed in.
    /// - Returns: False where every token may come; the mask is to be left as it is then.
    mutating func allow(into mask: inout TokenMask) -> Bool
}
