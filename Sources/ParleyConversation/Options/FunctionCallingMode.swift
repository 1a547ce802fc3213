// SPDX-License-Identifier: Apache-2.0

/// Whether a model may or must call functions.
public enum FunctionCallingMode: Hashable, Sendable {
    /// It calls when it sees fit.
    case automatic
    /// It has to call at least one function.
    case required
    /// It is not told of the functions.
    case none
    /// It has to call this function.
    case named(String)

    /// Whether a reply has to call.
    var isForced: Bool {
        switch self {
        case .required, .named: true
        case .automatic, .none: false
        }
    }
}
