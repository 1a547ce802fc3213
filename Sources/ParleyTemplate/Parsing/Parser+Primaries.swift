// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Parses an expression, or a tuple where commas follow.
    mutating func parseTuple(
        allowsConditional: Bool = true, end: String? = nil, isInParentheses: Bool = false
    ) throws(TemplateError) -> Expression {
        let line = current.line
        var items: [Expression] = []
        var isTuple = false
        while !isTupleEnd(end) {
            items.append(try parseExpression(allowsConditional: allowsConditional))
            guard take(.comma) else { break }
            isTuple = true
        }
        if !isTuple, let expression = items.first { return expression }
        guard isTuple || isInParentheses else { throw unexpected(expected: "an expression") }
        return try make(.tuple(items), line: line)
    }

    private func isTupleEnd(_ end: String?) -> Bool {
        switch current.kind {
        case .variableEnd, .blockEnd, .symbol(.rightParenthesis): true
        case .name(let name): name == end
        default: false
        }
    }

    mutating func parsePrimary() throws(TemplateError) -> Expression {
        let line = current.line
        switch current.kind {
        case .name(let name):
            advance()
            return try make(named(name), line: line)
        case .string(var text):
            advance()
            while case .string(let more) = current.kind {
                text += more
                advance()
            }
            return try make(.string(MarkedText(source: text)), line: line)
        case .integer(let value):
            advance()
            return try make(.integer(value), line: line)
        case .float(let value):
            advance()
            return try make(.double(value), line: line)
        case .symbol(.leftParenthesis):
            advance()
            let expression = try parseTuple(isInParentheses: true)
            try expect(.rightParenthesis)
            return expression
        case .symbol(.leftBracket): return try parseList(line: line)
        case .symbol(.leftBrace): return try parseDictionary(line: line)
        default: throw unexpected(expected: "an expression")
        }
    }

    private mutating func named(_ name: String) -> Expression.Kind {
        switch name {
        case "true", "True": return .bool(true)
        case "false", "False": return .bool(false)
        case "none", "None": return .none
        default:
            usedNames.indices.last.map { _ = usedNames[$0].insert(name) }
            return .name(name)
        }
    }

    private mutating func parseList(line: Int) throws(TemplateError) -> Expression {
        advance()
        var items: [Expression] = []
        while !isAt(.rightBracket) {
            if !items.isEmpty { try expect(.comma) }
            if isAt(.rightBracket) { break }
            items.append(try parseExpression())
        }
        try expect(.rightBracket)
        return try make(.list(items), line: line)
    }

    private mutating func parseDictionary(line: Int) throws(TemplateError) -> Expression {
        advance()
        var entries: [Expression.DictionaryEntry] = []
        while !isAt(.rightBrace) {
            if !entries.isEmpty { try expect(.comma) }
            if isAt(.rightBrace) { break }
            let key = try parseExpression()
            try expect(.colon)
            entries.append(Expression.DictionaryEntry(key: key, value: try parseExpression()))
        }
        try expect(.rightBrace)
        return try make(.dictionary(entries), line: line)
    }
}
