// SPDX-License-Identifier: Apache-2.0

/// An undefined value, and why it is undefined. Printing it gives no text, and looping over it does nothing; most other
/// uses are errors.
indirect enum Undefined: Sendable {
    /// No variable of that name.
    case variable(String)
    /// No such attribute or key in a value of that type; the name is nil where it comes from the input.
    case member(String?, of: String)
    /// An attribute exists but a template may not use it.
    case unsafe(String, of: String)
    /// Something else.
    case because(String)

    /// The memory of an undefined value, charged to its container.
    static let bytes = 96

    /// The error for using it.
    var error: TemplateError {
        switch self {
        case .variable(let name): TemplateError(.undefinedValue, "'\(name)' is undefined")
        case .member(let name?, of: let type): TemplateError(.undefinedValue, "\(type) has no attribute '\(name)'")
        case .member(nil, of: let type): TemplateError(.undefinedValue, "\(type) has no such element")
        case .unsafe(let name, of: let type):
            TemplateError(.forbidden, "access to attribute '\(name)' of '\(type)' object is unsafe.")
        case .because(let reason): TemplateError(.undefinedValue, reason)
        }
    }
}
