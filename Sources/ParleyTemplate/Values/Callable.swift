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
        if case .method(of: let receiver, name: _) = self { receiver.weight + 1 } else { 1 }
    }

    var typeName: String {
        switch self {
        case .function: "function"
        case .method: "method"
        case .macro: "Macro"
        }
    }

    func isSame(_ other: Callable) -> Bool {
        switch (self, other) {
        case (.function(let left), .function(let right)): left == right
        case (.macro(let left), .macro(let right)): left === right
        case (.method(of: let left, name: let name), .method(of: let right, name: let other)):
            name == other && left == right
        default: false
        }
    }
}

/// A macro with the variables that were in sight where it was defined.
final class MacroValue {
    let definition: MacroDefinition
    let scope: Scope

    init(definition: MacroDefinition, scope: Scope) {
        self.definition = definition
        self.scope = scope
    }
}
