// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Parses attributes, elements and calls after an expression.
    mutating func parsePostfix(of expression: Expression) throws(TemplateError) -> Expression {
        var result = expression
        while true {
            let line = current.line
            switch current.kind {
            case .symbol(.dot):
                advance()
                result = try parseAttribute(of: result, line: line)
            case .symbol(.leftBracket):
                advance()
                result = try parseSubscript(of: result, line: line)
            case .symbol(.leftParenthesis):
                result = try make(.call(result, try parseArguments()), line: line)
            default:
                return result
            }
        }
    }

    private mutating func parseAttribute(of value: Expression, line: Int) throws(TemplateError) -> Expression {
        switch current.kind {
        case .name(let name):
            advance()
            return try make(.attribute(value, name, key: MarkedText(source: name)), line: line)
        case .integer(let index):
            advance()
            return try make(.element(value, try make(.integer(index), line: line)), line: line)
        default:
            throw unexpected(expected: "a name or a number")
        }
    }

    private mutating func parseSubscript(of value: Expression, line: Int) throws(TemplateError) -> Expression {
        var indices: [Expression] = []
        while !take(.rightBracket) {
            if !indices.isEmpty { try expect(.comma) }
            let start = isAt(.colon) ? nil : try parseExpression()
            if let start, !isAt(.colon) {
                indices.append(start)
                continue
            }
            let bounds = try parseSliceBounds(start: start)
            guard indices.isEmpty, take(.rightBracket) else { throw unexpected(expected: "']'") }
            return try make(.slice(value, bounds), line: line)
        }
        let index = indices.count == 1 ? indices[0] : try make(.tuple(indices), line: line)
        return try make(.element(value, index), line: line)
    }

    private mutating func parseSliceBounds(start: Expression?) throws(TemplateError) -> Expression.SliceBounds {
        var bounds = Expression.SliceBounds(start: start)
        try expect(.colon)
        if !isAt(.colon), !isAt(.rightBracket) { bounds.stop = try parseExpression() }
        if take(.colon), !isAt(.rightBracket) { bounds.step = try parseExpression() }
        return bounds
    }

    // MARK: Filters and tests

    mutating func parseFiltersAndTests(of expression: Expression) throws(TemplateError) -> Expression {
        var result = expression
        while true {
            let line = current.line
            switch current.kind {
            case .symbol(.pipe):
                advance()
                result = try parseFilter(of: result)
            case .name("is"):
                advance()
                result = try parseTest(of: result, line: line)
            case .symbol(.leftParenthesis):
                result = try make(.call(result, try parseArguments()), line: line)
            default:
                return result
            }
        }
    }

    mutating func parseFilters(of expression: Expression) throws(TemplateError) -> Expression {
        var result = expression
        while take(.pipe) { result = try parseFilter(of: result) }
        return result
    }

    mutating func parseFilter(of expression: Expression) throws(TemplateError) -> Expression {
        let line = current.line
        let name = try parseDottedName()
        let arguments = isAt(.leftParenthesis) ? try parseArguments() : Expression.Arguments()
        return try make(.filter(expression, name, arguments), line: line)
    }

    private mutating func parseTest(of expression: Expression, line: Int) throws(TemplateError) -> Expression {
        let isNegated = take(name: "not")
        let name = try parseDottedName()
        let test = try make(.test(expression, name, try parseTestArguments()), line: line)
        return isNegated ? try make(.not(test), line: line) : test
    }

    /// A test takes arguments in parentheses or one operand without them.
    private mutating func parseTestArguments() throws(TemplateError) -> Expression.Arguments {
        switch current.kind {
        case .symbol(.leftParenthesis): return try parseArguments()
        case .name("else"), .name("or"), .name("and"): return Expression.Arguments()
        case .name("is"):
            throw TemplateError(.invalidSyntax, "You cannot chain multiple tests with is", line: current.line)
        case .name, .string, .integer, .float, .symbol(.leftBracket), .symbol(.leftBrace):
            try enter()
            defer { leave() }
            let operand = try parsePostfix(of: try parsePrimary())
            return Expression.Arguments(positional: [operand])
        default: return Expression.Arguments()
        }
    }

    private mutating func parseDottedName() throws(TemplateError) -> String {
        var name = try expectName()
        while take(.dot) { name += "." + (try expectName()) }
        return name
    }

    // MARK: Arguments

    mutating func parseArguments() throws(TemplateError) -> Expression.Arguments {
        var arguments = Expression.Arguments()
        try expect(.leftParenthesis)
        while !take(.rightParenthesis) {
            try parseArgument(into: &arguments)
            guard isAt(.rightParenthesis) else {
                try expect(.comma)
                continue
            }
        }
        return arguments
    }

    private mutating func parseArgument(into arguments: inout Expression.Arguments) throws(TemplateError) {
        let line = current.line
        let isUnpacked = arguments.unpackedList != nil || arguments.unpackedDictionary != nil
        if !isUnpacked, take(.multiply) {
            arguments.unpackedList = try parseExpression()
        } else if arguments.unpackedDictionary == nil, take(.power) {
            arguments.unpackedDictionary = try parseExpression()
        } else if arguments.unpackedDictionary == nil, case .name(let name) = current.kind,
            next.kind == .symbol(.assign)
        {
            advance()
            advance()
            arguments.keyword.append((name, try parseExpression()))
        } else {
            guard !isUnpacked, arguments.keyword.isEmpty else {
                throw TemplateError(.invalidSyntax, "invalid syntax for function call expression", line: line)
            }
            arguments.positional.append(try parseExpression())
        }
    }
}
