// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// What watches a reply token by token and says what may come next.
///
/// It belongs to one generation, which asks it before each token and tells it of each token of the reply; calls do not
/// overlap. Whoever made it may ask it meanwhile what it has seen.
public protocol TokenConstraint: AnyObject, Sendable {
    /// Sets a mask to the tokens that may come next.
    ///
    /// - Returns: False where every token may come, and the mask is to be ignored.
    func allow(into mask: inout TokenMask) -> Bool

    /// Reads a token of the reply. The token that ends it is none.
    func accept(_ token: TokenID)

    /// Whether the reply ends here.
    var isComplete: Bool { get }
}
