// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

extension ConstraintProgram {
    /// Compiles a schema of JSON Schema 2020-12: the reply is one JSON value that satisfies it.
    ///
    /// The reply lists the declared properties in the schema's order, then additional ones; optional ones may be left
    /// out; no name occurs twice. Between the parts of a value there may be a space, or a line break with indentation.
    /// Numbers have at most 24 digits before and 24 after the point. Names, and strings with a pattern, format or fixed
    /// value, have one spelling for each character: escaped only where JSON requires it.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - closesObjects: Whether objects that declare properties, but say nothing about additional ones, have no
    ///     additional ones.
    ///   - limits: The limits on size and cost.
    ///   - deadline: The latest time to finish; nil for none. Compiling also ends when the task is cancelled.
    /// - Throws: ``ConstraintError`` that names the keyword and its place where the schema is invalid, unsupported,
    ///   unsatisfiable or too large.
    package convenience init(
        schema: JSONValue, closesObjects: Bool = false, limits: ConstraintLimits = ConstraintLimits(),
        deadline: ContinuousClock.Instant? = nil
    ) throws(ConstraintError) {
        try self.init(.schema(schema, closesObjects: closesObjects), limits: limits, deadline: deadline)
    }

    /// Compiles a grammar.
    ///
    /// - Parameters:
    ///   - grammar: The form of the replies.
    ///   - limits: The limits on size and cost.
    ///   - deadline: The latest time to finish; nil for none. Compiling also ends when the task is cancelled.
    /// - Throws: ``ConstraintError`` where the grammar is invalid or too large, names its schema's fault, or says
    ///   `cancelled` or `timedOut`.
    package convenience init(
        _ grammar: Grammar, limits: ConstraintLimits = ConstraintLimits(), deadline: ContinuousClock.Instant? = nil
    ) throws(ConstraintError) {
        var compiler = GrammarCompiler(builder: ProgramBuilder(budget: CompilationBudget(limits, deadline: deadline)))
        let root = try compiler.compile(grammar, depth: 0)
        let builder = compiler.builder
        try self.init(
            nodes: builder.nodes, leaves: builder.leaves, root: root, depthLimit: Int32(limits.valueDepth),
            budget: builder.budget)
        guard isSatisfiable else {
            throw ConstraintError(
                .unsatisfiable, "No value satisfies the schema or grammar; remove the contradiction.", path: "#")
        }
        try Machine(self).work.check()
    }
}

/// Turns a grammar into nodes.
private struct GrammarCompiler {
    var builder: ProgramBuilder

    mutating func compile(_ grammar: Grammar, depth: Int) throws(ConstraintError) -> NodeID {
        guard depth < builder.budget.limits.schemaDepth else {
            throw ConstraintError(.tooLarge, "The grammar nests too deep; flatten it.")
        }
        switch grammar.form {
        case .literal(let text): return try builder.addNode(literal: Array(text.string.utf8))
        case .marker(let text):
            let alternatives = [ControlSpelling.bytes(of: text.string), Array(text.string.utf8)]
            return try builder.addNode(literals: alternatives)
        case .pattern(let text):
            return try builder.addNode(
                reading: builder.automata.automaton(ofPattern: text.string, encoding: .plain, anywhere: false))
        case .schema(let schema, let notation, let kinds, let closesObjects):
            var compiler = try SchemaCompiler(
                schema, notation: notation, closesObjects: closesObjects, builder: builder)
            let node = try compiler.compile(kinds: kinds)
            builder = compiler.builder
            return node
        case .sequence(let parts): return try builder.add(.sequence(try compile(parts, depth)))
        case .choice(let alternatives): return try builder.add(.choice(try compile(alternatives, depth)))
        case .repetition(let part, let separator, let minimum, let maximum):
            guard !part.mayBeEmpty || separator.map({ !$0.mayBeEmpty }) ?? false else {
                throw ConstraintError(
                    .invalidGrammar, "A repeated part may be empty; it must match at least one character.")
            }
            let item = try compile(part, depth: depth + 1)
            var between: NodeID?
            if let separator { between = try compile(separator, depth: depth + 1) }
            return try builder.add(
                .repetition(
                    Repetition(
                        item: item, separator: between, minimum: Int32(clamping: minimum),
                        maximum: Int32(clamping: maximum ?? .max))))
        }
    }

    private mutating func compile(_ parts: [Grammar], _ depth: Int) throws(ConstraintError) -> [NodeID] {
        var nodes: [NodeID] = []
        for part in parts { nodes.append(try compile(part, depth: depth + 1)) }
        return nodes
    }
}

extension Grammar {
    /// Whether the empty text may match. The answer may be a false yes: an anchor counts as matching it, and so does an
    /// invalid pattern, which is reported elsewhere.
    fileprivate var mayBeEmpty: Bool {
        switch form {
        case .literal(let text), .marker(let text): text.string.isEmpty
        case .pattern(let text):
            (try? PatternParser.parse(text.string)).map { $0.mayBeEmpty } ?? true
        case .schema: false
        case .sequence(let parts): parts.allSatisfy(\.mayBeEmpty)
        case .choice(let alternatives): alternatives.contains(where: \.mayBeEmpty)
        case .repetition(let part, _, let minimum, _): minimum == 0 || part.mayBeEmpty
        }
    }
}

extension Pattern {
    /// Whether the empty text may match.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .set: false
        case .sequence(let parts): parts.allSatisfy(\.mayBeEmpty)
        case .choice(let alternatives): alternatives.contains(where: \.mayBeEmpty)
        case .repetition(let part, let min, _): min == 0 || part.mayBeEmpty
        case .start, .end: true
        }
    }
}
