// SPDX-License-Identifier: Apache-2.0

/// An expression of a template.
struct Expression: Sendable {
    indirect enum Kind: Sendable {
        case none
        case bool(Bool)
        case integer(Int)
        case double(Double)
        case string(MarkedText)
        case name(String)
        case list([Expression])
        case tuple([Expression])
        case dictionary([DictionaryEntry])
        case attribute(Expression, String, key: MarkedText)
        case element(Expression, Expression)
        case slice(Expression, SliceBounds)
        case call(Expression, Arguments)
        case filter(Expression, String, Arguments)
        case test(Expression, String, Arguments)
        case not(Expression)
        case negative(Expression)
        case positive(Expression)
        case binary(BinaryOperator, Expression, Expression)
        case and(Expression, Expression)
        case or(Expression, Expression)
        case concatenation([Expression])
        case comparison(Expression, [Comparison])
        case conditional(test: Expression, then: Expression, otherwise: Expression?)
        /// The output of a filter block's or block assignment's body.
        case captured
    }

    struct DictionaryEntry: Sendable {
        let key: Expression
        let value: Expression
    }

    struct SliceBounds: Sendable {
        var start: Expression?
        var stop: Expression?
        var step: Expression?
    }

    struct Comparison: Sendable {
        let comparator: Comparator
        let operand: Expression
    }

    struct Arguments: Sendable {
        var positional: [Expression] = []
        var keyword: [(name: String, value: Expression)] = []
        /// The expression after `*`.
        var unpackedList: Expression?
        /// The expression after `**`.
        var unpackedDictionary: Expression?
    }

    let kind: Kind
    let line: Int
    /// How deep expressions are nested here.
    let depth: Int

    init(_ kind: Kind, line: Int) {
        self.kind = kind
        self.line = line
        depth = 1 + (kind.children.map(\.depth).max() ?? 0)
    }
}

enum BinaryOperator: String, Sendable {
    case add = "+", subtract = "-", multiply = "*", divide = "/", floorDivide = "//", modulo = "%", power = "**"
}

enum Comparator: String, Sendable {
    case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case isIn = "in", isNotIn = "not in"
}

extension Expression.Kind {
    /// The expressions directly inside this one.
    var children: [Expression] {
        switch self {
        case .none, .bool, .integer, .double, .string, .name, .captured: []
        case .list(let items), .tuple(let items), .concatenation(let items): items
        case .dictionary(let entries): entries.flatMap { [$0.key, $0.value] }
        case .attribute(let value, _, key: _), .not(let value), .negative(let value), .positive(let value): [value]
        case .element(let value, let index): [value, index]
        case .slice(let value, let bounds): [value] + [bounds.start, bounds.stop, bounds.step].compactMap(\.self)
        case .call(let value, let arguments), .filter(let value, _, let arguments), .test(let value, _, let arguments):
            [value] + arguments.all
        case .binary(_, let left, let right), .and(let left, let right), .or(let left, let right): [left, right]
        case .comparison(let first, let rest): [first] + rest.map(\.operand)
        case .conditional(let test, let then, let otherwise): [test, then] + [otherwise].compactMap(\.self)
        }
    }
}

extension Expression.Arguments {
    var all: [Expression] {
        positional + keyword.map(\.value) + [unpackedList, unpackedDictionary].compactMap(\.self)
    }
}
