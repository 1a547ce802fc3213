// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

extension ConstraintProgram {
    /// Compiles a schema of JSON Schema 2020-12: the reply is one JSON value that satisfies it.
    ///
    /// Declared properties come in the schema's order, then others; optional ones may be left out; no name comes twice.
    /// Between the parts of a value may stand a space, or a line break with its indentation. Numbers have at most 24
    /// digits before and 24 after the point. Names, and strings with a pattern, format or fixed value, spell each
    /// character in one way: escaped only where JSON asks for it.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - closesObjects: Whether objects that declare properties without mentioning others have no others.
    ///   - limits: What it may cost.
    ///   - deadline: When to give up, if ever; it ends with the task's cancellation too.
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
    ///   - grammar: What replies may look like.
    ///   - limits: What it may cost.
    ///   - deadline: When to give up, if ever; it ends with the task's cancellation too.
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
            throw ConstraintError(.unsatisfiable, "Nothing satisfies this; relax what contradicts itself.", path: "#")
        }
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
                throw ConstraintError(.invalidGrammar, "What is repeated may be empty; make it read something.")
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
    /// Whether the empty text may match. Patterns are not examined before they are built, so the answer may be a false
    /// yes.
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

/// How control tokens are spelled as bytes that no text has: between two bytes that UTF-8 does not use.
enum ControlSpelling {
    static func bytes(of spelling: String) -> [UInt8] { [0xFF] + Array(spelling.utf8) + [0xFE] }

    /// Whether a byte begins or ends a control token.
    static func frames(_ byte: UInt8) -> Bool { byte >= 0xFE }
}
