// SPDX-License-Identifier: Apache-2.0

/// Whether a call may be made.
public enum FunctionApproval: Hashable, Sendable {
    /// It may.
    case allow
    /// It may not; the model is told why.
    case deny(reason: String)
}
