// SPDX-License-Identifier: Apache-2.0

/// What a key may be used for.
public enum KeyScope: String, Hashable, Sendable, CaseIterable {
    /// Requests for replies, and the list of models.
    case api
    /// The server's figures.
    case metrics
    /// Management of models.
    case admin
    /// The user's own data.
    case data
}
