// SPDX-License-Identifier: Apache-2.0

/// Expressions from the loosest operator to the tightest, one method a level.
extension Parser {
    mutating func parseExpression(allowsConditional: Bool = true) throws(TemplateError) -> Expression {
        try nested { parser throws(TemplateError) in
            allowsConditional ? try parser.parseConditional() : try parser.parseOr()
        }
    }

    private mutating func parseConditional() throws(TemplateError) -> Expression {
        var expression = try parseOr()
        while isAt(name: "if") {
            let line = current.line
            advance()
            let test = try parseOr()
            let otherwise = take(name: "else") ? try parseExpression() : nil
            expression = try make(.conditional(test: test, then: expression, otherwise: otherwise), line: line)
        }
        return expression
    }

    private mutating func parseOr() throws(TemplateError) -> Expression {
        var left = try parseAnd()
        while isAt(name: "or") {
            let line = current.line
            advance()
            left = try make(.or(left, try parseAnd()), line: line)
        }
        return left
    }

    private mutating func parseAnd() throws(TemplateError) -> Expression {
        var left = try parseNot()
        while isAt(name: "and") {
            let line = current.line
            advance()
            left = try make(.and(left, try parseNot()), line: line)
        }
        return left
    }

    private mutating func parseNot() throws(TemplateError) -> Expression {
        guard isAt(name: "not") else { return try parseComparison() }
        let line = current.line
        advance()
        let operand = try nested { parser throws(TemplateError) in try parser.parseNot() }
        return try make(.not(operand), line: line)
    }

    private mutating func parseComparison() throws(TemplateError) -> Expression {
        let line = current.line
        let first = try parseSum()
        var rest: [Expression.Comparison] = []
        while let comparator = takeComparator() {
            rest.append(Expression.Comparison(comparator: comparator, operand: try parseSum()))
        }
        return rest.isEmpty ? first : try make(.comparison(first, rest), line: line)
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

    private mutating func parseSum() throws(TemplateError) -> Expression {
        var left = try parseConcatenation()
        while let binary = takeOperator([.add, .subtract]) {
            let line = current.line
            left = try make(.binary(binary, left, try parseConcatenation()), line: line)
        }
        return left
    }

    private mutating func parseConcatenation() throws(TemplateError) -> Expression {
        let line = current.line
        var parts = [try parseProduct()]
        while take(.tilde) { parts.append(try parseProduct()) }
        return parts.count == 1 ? parts[0] : try make(.concatenation(parts), line: line)
    }

    private mutating func parseProduct() throws(TemplateError) -> Expression {
        var left = try parsePower()
        while let binary = takeOperator([.multiply, .divide, .floorDivide, .modulo]) {
            let line = current.line
            left = try make(.binary(binary, left, try parsePower()), line: line)
        }
        return left
    }

    private mutating func parsePower() throws(TemplateError) -> Expression {
        var left = try parseUnary()
        while let binary = takeOperator([.power]) {
            let line = current.line
            left = try make(.binary(binary, left, try parseUnary()), line: line)
        }
        return left
    }

    private mutating func takeOperator(_ operators: [BinaryOperator]) -> BinaryOperator? {
        guard case .symbol(let symbol) = current.kind, let binary = BinaryOperator(rawValue: symbol.rawValue),
            operators.contains(binary)
        else { return nil }
        advance()
        return binary
    }

    private mutating func parseUnary(takesFilters: Bool = true) throws(TemplateError) -> Expression {
        let line = current.line
        var expression: Expression
        if take(.subtract) {
            expression = try make(.negative(try parseSigned()), line: line)
        } else if take(.add) {
            expression = try make(.positive(try parseSigned()), line: line)
        } else {
            expression = try parsePrimary()
        }
        expression = try parsePostfix(of: expression)
        return takesFilters ? try parseFiltersAndTests(of: expression) : expression
    }

    private mutating func parseSigned() throws(TemplateError) -> Expression {
        try nested { parser throws(TemplateError) in try parser.parseUnary(takesFilters: false) }
    }
}
