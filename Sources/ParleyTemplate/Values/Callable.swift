// SPDX-License-Identifier: Apache-2.0

/// Something a template can call.
enum Callable {
    /// A function every template has, such as `range`.
    case function(GlobalFunction)
    /// A method together with the value it belongs to.
    indirect case method(of: Value, name: String)
    case macro(MacroValue)

    var depth: Int {
        if case .method(of: let receiver, name: _) = self { receiver.depth + 1 } else { 0 }
    }

    var weight: Int {
        if case .method(of: .string(let text), name: _) = self { text.size + 32 } else { 32 }
    }

    var typeName: String {
        switch self {
        case .function: "function"
        case .method: "method"
        case .macro: "Macro"
        }
    }
}

/// A function that every template can call.
enum GlobalFunction: String {
    case range, dict, namespace, cycler, joiner
    case raiseException = "raise_exception"
    case strftimeNow = "strftime_now"
}

/// A macro with the variables that were visible where it was defined.
final class MacroValue: MeteredObject {
    let definition: MacroDefinition
    let scope: Scope

    init(definition: MacroDefinition, scope: Scope) throws(TemplateError) {
        self.definition = definition
        self.scope = scope
        try super.init(scope.meter, bytes: 192)
    }
}
