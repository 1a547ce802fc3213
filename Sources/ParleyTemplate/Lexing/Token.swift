// SPDX-License-Identifier: Apache-2.0

extension String {
    init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}

/// A piece of a template's source.
struct Token: Sendable {
    enum Kind: Hashable, Sendable {
        /// Text outside of tags, after whitespace control.
        case data(String)
        case variableBegin, variableEnd, blockBegin, blockEnd
        case name(String), string(String), integer(Int), float(Double)
        case symbol(Symbol)
        case end
    }

    let kind: Kind
    let line: Int
}

/// The operators and delimiters inside tags.
enum Symbol: String, Hashable, Sendable, CaseIterable {
    case floorDivide = "//", power = "**", equal = "==", notEqual = "!=", greaterOrEqual = ">=", lessOrEqual = "<="
    case add = "+", subtract = "-", divide = "/", multiply = "*", modulo = "%", tilde = "~"
    case leftBracket = "[", rightBracket = "]", leftParenthesis = "(", rightParenthesis = ")"
    case leftBrace = "{", rightBrace = "}", greater = ">", less = "<", assign = "="
    case dot = ".", colon = ":", pipe = "|", comma = ",", semicolon = ";"

    /// The delimiter that closes this one.
    var closing: Symbol? {
        switch self {
        case .leftBracket: .rightBracket
        case .leftParenthesis: .rightParenthesis
        case .leftBrace: .rightBrace
        default: nil
        }
    }

    var isClosing: Bool {
        self == .rightBracket || self == .rightParenthesis || self == .rightBrace
    }
}

extension Token.Kind {
    /// The token's name in messages.
    var description: String {
        switch self {
        case .data: "text"
        case .variableBegin: "{{"
        case .variableEnd: "}}"
        case .blockBegin: "{%"
        case .blockEnd: "%}"
        case .name(let name): name
        case .string: "a string"
        case .integer, .float: "a number"
        case .symbol(let symbol): symbol.rawValue
        case .end: "the end of the template"
        }
    }
}
