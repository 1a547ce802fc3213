// SPDX-License-Identifier: Apache-2.0

/// The precedence of operators, lowest first.
private enum Precedence: Int {
    case or, and, not, comparison, sum, concatenation, product, power, unary

    var tighter: Precedence { Precedence(rawValue: rawValue + 1) ?? .unary }
}

/// Parses expressions with operators by precedence climbing. One method for all levels keeps the use of the stack
/// small, because an untrusted template can nest deeply.
extension Parser {
    mutating func parseExpression(allowsConditional: Bool = true) throws(TemplateError) -> Expression {
        try enter()
        defer { leave() }
        var expression = try parseOperators(from: .or)
        while allowsConditional, isAt(name: "if") {
            expression = try parseConditional(then: expression)
        }
        return expression
    }

    private mutating func parseConditional(then expression: Expression) throws(TemplateError) -> Expression {
        let line = current.line
        advance()
        let test = try parseOperators(from: .or)
        let otherwise = take(name: "else") ? try parseExpression() : nil
        return try make(.conditional(test: test, then: expression, otherwise: otherwise), line: line)
    }

    /// Parses an operand and the following operators of at least the given precedence.
    private mutating func parseOperators(from loosest: Precedence) throws(TemplateError) -> Expression {
        var left =
            loosest.rawValue <= Precedence.not.rawValue && isAt(name: "not") ? try parseNot() : try parseUnary()
        while let precedence = currentPrecedence, precedence.rawValue >= loosest.rawValue {
            left = try parseRest(of: left, precedence)
        }
        return left
    }

    private var currentPrecedence: Precedence? {
        switch current.kind {
        case .name("or"): .or
        case .name("and"): .and
        case .name("in"): .comparison
        case .name("not"): next.kind == .name("in") ? .comparison : nil
        case .symbol(.add), .symbol(.subtract): .sum
        case .symbol(.tilde): .concatenation
        case .symbol(.multiply), .symbol(.divide), .symbol(.floorDivide), .symbol(.modulo): .product
        case .symbol(.power): .power
        case .symbol(let symbol): Comparator(rawValue: symbol.rawValue) == nil ? nil : .comparison
        default: nil
        }
    }

    /// Parses the operator at the current token and its right operand.
    @inline(never)
    private mutating func parseRest(
        of left: Expression, _ precedence: Precedence
    ) throws(TemplateError) -> Expression {
        let line = current.line
        switch precedence {
        case .or:
            advance()
            return try make(.or(left, try parseOperators(from: .and)), line: line)
        case .and:
            advance()
            return try make(.and(left, try parseOperators(from: .not)), line: line)
        case .comparison: return try make(.comparison(left, try parseComparisons()), line: line)
        case .concatenation:
            var parts = [left]
            while take(.tilde) { parts.append(try parseOperators(from: .product)) }
            return try make(.concatenation(parts), line: line)
        default:
            guard case .symbol(let symbol) = current.kind, let binary = BinaryOperator(rawValue: symbol.rawValue)
            else { throw unexpected(expected: "an operator") }
            advance()
            return try make(.binary(binary, left, try parseOperators(from: precedence.tighter)), line: line)
        }
    }

    private mutating func parseComparisons() throws(TemplateError) -> [Expression.Comparison] {
        var comparisons: [Expression.Comparison] = []
        while let comparator = takeComparator() {
            let operand = try parseOperators(from: .sum)
            comparisons.append(Expression.Comparison(comparator: comparator, operand: operand))
        }
        return comparisons
    }

    private mutating func takeComparator() -> Comparator? {
        switch current.kind {
        case .symbol(let symbol):
            guard let comparator = Comparator(rawValue: symbol.rawValue) else { return nil }
            advance()
            return comparator
        case .name("in"):
            advance()
            return .isIn
        case .name("not") where next.kind == .name("in"):
            advance()
            advance()
            return .isNotIn
        default:
            return nil
        }
    }

    @inline(never)
    private mutating func parseNot() throws(TemplateError) -> Expression {
        try enter()
        defer { leave() }
        let line = current.line
        advance()
        return try make(.not(try parseOperators(from: .not)), line: line)
    }

    /// Parses an operand with its sign and its postfixes.
    @inline(never)
    private mutating func parseUnary(takesFilters: Bool = true) throws(TemplateError) -> Expression {
        let line = current.line
        var expression: Expression
        if isAt(.subtract) || isAt(.add) {
            try enter()
            defer { leave() }
            let isNegative = isAt(.subtract)
            advance()
            let operand = try parseUnary(takesFilters: false)
            expression = try make(isNegative ? .negative(operand) : .positive(operand), line: line)
        } else {
            expression = try parsePrimary()
        }
        expression = try parsePostfix(of: expression)
        return takesFilters ? try parseFiltersAndTests(of: expression) : expression
    }
}
