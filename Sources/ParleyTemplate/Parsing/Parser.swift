// SPDX-License-Identifier: Apache-2.0

/// A recursive-descent parser from tokens to statements.
struct Parser {
    let tokens: [Token]
    let limits: TemplateLimits
    var index = 0
    /// The number of open blocks and expressions.
    var depth = 0
    /// The number of open loops in the current macro.
    var openLoops = 0
    /// The names used inside each open macro, innermost last.
    var usedNames: [Set<String>] = []

    init(tokens: [Token], limits: TemplateLimits) {
        self.tokens = tokens
        self.limits = limits
    }

    static func parse(_ source: String, limits: TemplateLimits) throws(TemplateError) -> [Statement] {
        guard source.utf8.count <= limits.sourceBytes else {
            throw TemplateError(
                .valueTooLarge, "The template has \(source.utf8.count) bytes; \(limits.sourceBytes) are allowed.")
        }
        var parser = Parser(tokens: try Lexer.tokens(of: source), limits: limits)
        return try parser.parseBody(until: [])
    }

    // MARK: Tokens

    /// The current token. The lexer ends every sequence with an end token, which is never passed.
    var current: Token { tokens[index] }
    var next: Token { tokens[min(index + 1, tokens.count - 1)] }

    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
    }

    func isAt(_ symbol: Symbol) -> Bool { current.kind == .symbol(symbol) }
    func isAt(name: String) -> Bool { current.kind == .name(name) }

    mutating func take(_ symbol: Symbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func take(name: String) -> Bool {
        guard isAt(name: name) else { return false }
        advance()
        return true
    }

    mutating func expect(_ kind: Token.Kind) throws(TemplateError) {
        guard current.kind == kind else { throw unexpected(expected: "'\(kind.description)'") }
        advance()
    }

    mutating func expect(_ symbol: Symbol) throws(TemplateError) {
        try expect(.symbol(symbol))
    }

    mutating func expectName() throws(TemplateError) -> String {
        guard case .name(let name) = current.kind else { throw unexpected(expected: "a name") }
        advance()
        return name
    }

    @inline(never)
    func unexpected(expected: String) -> TemplateError {
        TemplateError(
            .invalidSyntax, "expected \(expected), got '\(current.kind.description)'", line: current.line)
    }

    // MARK: Depth

    /// Begins a block or an expression, which `leave` ends.
    mutating func enter() throws(TemplateError) {
        guard depth < min(limits.depth, 64) else { throw tooDeep(line: current.line) }
        depth += 1
    }

    mutating func leave() {
        depth -= 1
    }

    /// Makes an expression and checks its depth, which chains of operators can increase without nesting in the source.
    @inline(never)
    func make(_ kind: Expression.Kind, line: Int) throws(TemplateError) -> Expression {
        let expression = Expression(kind, line: line)
        guard expression.depth <= limits.depth else { throw tooDeep(line: line) }
        return expression
    }

    @inline(never)
    private func tooDeep(line: Int) -> TemplateError {
        TemplateError(.tooDeep, "The template is nested too deeply.", line: line)
    }

    // MARK: Bodies

    /// Parses statements up to a block that begins with one of the names, whose tag name becomes the current token;
    /// without names up to the end of the template.
    mutating func parseBody(until ends: [String]) throws(TemplateError) -> [Statement] {
        var body: [Statement] = []
        while true {
            let line = current.line
            switch current.kind {
            case .data(let text):
                advance()
                body.append(Statement(kind: .text(MarkedText(source: text)), line: line))
            case .variableBegin:
                advance()
                body.append(Statement(kind: .output(try parseTuple()), line: line))
                try expect(.variableEnd)
            case .blockBegin:
                advance()
                if case .name(let name) = current.kind, ends.contains(name) { return body }
                body.append(try parseStatement())
                try expect(.blockEnd)
            default:
                guard ends.isEmpty else { throw unexpected(expected: "'\(ends.joined(separator: "' or '"))'") }
                return body
            }
        }
    }

    /// Parses the body of a tag whose head was just read, and the tag that ends it up to its name.
    mutating func parseBlock(until ends: String...) throws(TemplateError) -> (body: [Statement], end: String) {
        _ = take(.colon)
        try expect(.blockEnd)
        let body = try parseBody(until: ends)
        return (body, try expectName())
    }
}
