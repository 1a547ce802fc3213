// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Parses a tag from its name on, with its body, up to the `%}` of its last part.
    mutating func parseStatement() throws(TemplateError) -> Statement {
        try enter()
        defer { leave() }
        let line = current.line
        let tag = try expectName()
        return Statement(kind: try parseKind(of: tag, line: line), line: line)
    }

    private mutating func parseKind(of tag: String, line: Int) throws(TemplateError) -> Statement.Kind {
        switch tag {
        case "for": return try parseFor(line: line)
        case "if": return try parseIf()
        case "set": return try parseSet()
        case "with": return try parseWith()
        case "macro": return try parseMacro(line: line)
        case "call": return try parseCallBlock(line: line)
        case "filter": return try parseFilterBlock()
        case "print":
            let values = try parseTuple()
            guard case .tuple(let parts) = values.kind else { return .output(values) }
            return .output(try make(.concatenation(parts), line: line))
        case "do": return .evaluation(try parseTuple())
        case "generation": return .scope(try parseIsolated(until: "endgeneration"))
        case "break", "continue":
            guard openLoops > 0 else {
                throw TemplateError(.invalidSyntax, "'\(tag)' is outside of a loop", line: line)
            }
            return tag == "break" ? .leaveLoop : .continueLoop
        case "include", "import", "from", "extends", "block", "autoescape":
            return try parseUnsupported(tag)
        default:
            throw TemplateError(.invalidSyntax, "Encountered unknown tag '\(tag)'.", line: line)
        }
    }

    private mutating func parseFor(line: Int) throws(TemplateError) -> Statement.Kind {
        let target = try parseTarget(allowsAttributes: false)
        guard take(name: "in") else { throw unexpected(expected: "'in'") }
        let iterable = try parseTuple(allowsConditional: false, end: "recursive")
        let condition = take(name: "if") ? try parseExpression() : nil
        let isRecursive = take(name: "recursive")
        openLoops += 1
        let (body, end) = try parseBlock(until: "endfor", "else")
        openLoops -= 1
        let loops = openLoops
        // Jinja compiles a recursive loop to a function, so that its `else` cannot leave an enclosing loop.
        if isRecursive { openLoops = 0 }
        defer { openLoops = loops }
        let otherwise = end == "else" ? try parseBlock(until: "endfor").body : []
        return .loop(
            LoopDefinition(
                target: target, iterable: iterable, condition: condition, isRecursive: isRecursive, body: body,
                otherwise: otherwise, line: line))
    }

    private mutating func parseIf() throws(TemplateError) -> Statement.Kind {
        var branches: [Statement.Branch] = []
        while true {
            let test = try parseTuple(allowsConditional: false)
            let (body, end) = try parseBlock(until: "elif", "else", "endif")
            branches.append(Statement.Branch(test: test, body: body))
            switch end {
            case "elif": continue
            case "else": return .conditional(branches, otherwise: try parseBlock(until: "endif").body)
            default: return .conditional(branches, otherwise: [])
            }
        }
    }

    private mutating func parseSet() throws(TemplateError) -> Statement.Kind {
        let target = try parseTarget(allowsAttributes: true)
        if take(.assign) { return .assignment(target, try parseTuple()) }
        let filter = try parseFilters(of: try make(.captured, line: current.line))
        let body = try parseBlock(until: "endset").body
        return .blockAssignment(target, filter: filter, body: body)
    }

    private mutating func parseWith() throws(TemplateError) -> Statement.Kind {
        var assignments: [(target: Target, value: Expression)] = []
        while current.kind != .blockEnd {
            if !assignments.isEmpty { try expect(.comma) }
            let target = try parseTarget(allowsAttributes: false)
            try expect(.assign)
            assignments.append((target, try parseExpression()))
        }
        return .with(assignments, body: try parseBlock(until: "endwith").body)
    }

    private mutating func parseFilterBlock() throws(TemplateError) -> Statement.Kind {
        let captured = try make(.captured, line: current.line)
        let first = try parseFilter(of: captured)
        let filter = try parseFilters(of: first)
        return .filter(filter, body: try parseBlock(until: "endfilter").body)
    }

    /// Skips the rest of an unsupported tag, which is an error only if it is reached.
    private mutating func parseUnsupported(_ tag: String) throws(TemplateError) -> Statement.Kind {
        while current.kind != .blockEnd {
            guard current.kind != .end else { throw unexpected(expected: "'%}'") }
            advance()
        }
        if tag == "block" || tag == "autoescape" { _ = try parseBlock(until: "end" + tag) }
        while current.kind != .blockEnd, current.kind != .end { advance() }
        return .unsupported(tag)
    }

    /// Parses a body that Jinja compiles to a separate function, so that it cannot leave an enclosing loop.
    mutating func parseIsolated(until end: String) throws(TemplateError) -> [Statement] {
        let loops = openLoops
        openLoops = 0
        defer { openLoops = loops }
        _ = take(.colon)
        try expect(.blockEnd)
        let body = try parseBody(until: [end])
        advance()
        return body
    }

    // MARK: Targets

    /// Parses the target of an assignment: names, attributes of namespaces, tuples of them.
    mutating func parseTarget(allowsAttributes: Bool) throws(TemplateError) -> Target {
        var targets: [Target] = []
        var isTuple = false
        while true {
            if isAt(name: "in") || isAt(.assign) || isAt(.rightParenthesis) || current.kind == .blockEnd { break }
            targets.append(try parseSingleTarget(allowsAttributes: allowsAttributes))
            guard take(.comma) else { break }
            isTuple = true
        }
        if !isTuple, let target = targets.first { return target }
        guard isTuple else { throw unexpected(expected: "a name to assign to") }
        return .tuple(targets)
    }

    private mutating func parseSingleTarget(allowsAttributes: Bool) throws(TemplateError) -> Target {
        if take(.leftParenthesis) {
            try enter()
            defer { leave() }
            let target = try parseTarget(allowsAttributes: allowsAttributes)
            try expect(.rightParenthesis)
            return target
        }
        let line = current.line
        let name = try expectName()
        if allowsAttributes, take(.dot) {
            usedNames.indices.last.map { _ = usedNames[$0].insert(name) }
            return .attribute(of: name, try expectName())
        }
        guard !["true", "false", "none", "True", "False", "None"].contains(name) else {
            throw TemplateError(.invalidSyntax, "can't assign to '\(name)'", line: line)
        }
        return .name(name)
    }
}
