// SPDX-License-Identifier: Apache-2.0

/// The hidden states that a network keeps for each row; see ``AltUp``.
package struct AltUpStreams: Sendable, Hashable {
    /// How many there are; 0 in networks that have only one.
    package let count: Int
    /// The number of the one that layers compute.
    package let active: Int
}
