// SPDX-License-Identifier: Apache-2.0

/// The names of a template's constructs in errors.
extension Statement {
    var construct: String {
        switch kind {
        case .text: "text"
        case .output: "output"
        case .loop: "for"
        case .conditional: "if"
        case .assignment, .blockAssignment: "set"
        case .with: "with"
        case .macro(let definition): "macro '\(definition.name)'"
        case .call: "call"
        case .filter: "filter block"
        case .scope: "generation"
        case .evaluation: "do"
        case .leaveLoop: "break"
        case .continueLoop: "continue"
        case .unsupported(let tag): tag
        }
    }
}

extension Expression {
    var construct: String? {
        switch kind {
        case .name(let name): "variable '\(name)'"
        case .attribute(_, let name, key: _): "attribute '\(name)'"
        case .element: "element"
        case .slice: "slice"
        case .call(let callee, _):
            switch callee.kind {
            case .name(let name), .attribute(_, let name, key: _): "call of '\(name)'"
            default: "call"
            }
        case .filter(_, let name, _): "filter '\(name)'"
        case .test(_, let name, _): "test '\(name)'"
        case .binary(let binary, _, _): "operator '\(binary.rawValue)'"
        case .comparison(_, let rest): "operator '\(rest.map(\.comparator.rawValue).joined(separator: "', '"))'"
        case .concatenation: "operator '~'"
        case .negative, .positive: "sign"
        case .dictionary: "dictionary"
        default: nil
        }
    }
}
