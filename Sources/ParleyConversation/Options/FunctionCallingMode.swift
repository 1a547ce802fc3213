// SPDX-License-Identifier: Apache-2.0

/// Whether a model may or must call functions.
public enum FunctionCallingMode: Hashable, Sendable {
    /// The model may call functions.
    case automatic
    /// The model must call at least one function.
    case required
    /// The functions are not described to the model.
    case none
    /// The model must call the function with this name.
    case named(String)

    /// Whether a reply must contain a call.
    var isForced: Bool {
        switch self {
        case .required, .named: true
        case .automatic, .none: false
        }
    }
}
