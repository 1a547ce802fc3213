// SPDX-License-Identifier: Apache-2.0

/// Whether a model may or must call functions.
public enum FunctionCallingMode: Hashable, Sendable {
    /// It may call functions.
    case automatic
    /// It must call at least one function.
    case required
    /// It is not told of the functions.
    case none
    /// It must call this function.
    case named(String)

    /// Whether a reply has to call.
    var isForced: Bool {
        switch self {
        case .required, .named: true
        case .automatic, .none: false
        }
    }
}
