// SPDX-License-Identifier: Apache-2.0

/// The decision on whether a function call may be made.
public enum FunctionApproval: Hashable, Sendable {
    /// The call is made.
    case allow
    /// The call is not made; the model receives the reason.
    case deny(reason: String)
}
