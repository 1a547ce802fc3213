// SPDX-License-Identifier: Apache-2.0

/// A statement of a template: text, a value to print, or a tag with its body.
struct Statement: Sendable {
    indirect enum Kind: Sendable {
        case text(MarkedText)
        case output(Expression)
        case loop(LoopDefinition)
        case conditional([Branch], otherwise: [Statement])
        case assignment(Target, Expression)
        case blockAssignment(Target, filter: Expression, body: [Statement])
        case with([(target: Target, value: Expression)], body: [Statement])
        case macro(MacroDefinition)
        case call(Expression, caller: MacroDefinition)
        case filter(Expression, body: [Statement])
        /// A body with variables of its own: `{% generation %}`.
        case scope([Statement])
        case evaluation(Expression)
        case leaveLoop
        case continueLoop
        /// A Jinja tag that is not supported; an error only if it is reached.
        case unsupported(String)
    }

    struct Branch: Sendable {
        let test: Expression
        let body: [Statement]
    }

    let kind: Kind
    let line: Int
}

struct LoopDefinition: Sendable {
    let target: Target
    let iterable: Expression
    let condition: Expression?
    let isRecursive: Bool
    let body: [Statement]
    let otherwise: [Statement]
    let line: Int
}

struct MacroDefinition: Sendable {
    struct Parameter: Sendable {
        let name: String
        let fallback: Expression?
    }

    let name: String
    let parameters: [Parameter]
    let body: [Statement]
    let line: Int
    /// Whether the body uses `varargs`; without it, surplus positional arguments are errors. The same holds for
    /// `usesKwargs` and keyword arguments.
    let usesVarargs: Bool
    let usesKwargs: Bool
    let usesCaller: Bool
}

/// The target of an assignment.
indirect enum Target: Sendable {
    case name(String)
    case attribute(of: String, String)
    case tuple([Target])
}
