// SPDX-License-Identifier: Apache-2.0

/// Decides which tokens may come next in a reply.
///
/// A ``Generation`` calls it before each token. The code that iterates the generation must tell the constraint which
/// token was drawn, through functions of the concrete type.
package protocol TokenConstraint: Sendable {
    /// Sets a mask to the tokens that may come next.
    ///
    /// - Parameter mask: the mask, which is empty (allows no token) when passed in.
    /// - Returns: false if every token is allowed; the mask must then be left unchanged.
    mutating func allow(into mask: inout TokenMask) -> Bool
}
