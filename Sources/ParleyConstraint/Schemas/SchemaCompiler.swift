// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// Turns a schema into nodes of a program.
///
/// Each set of schemas that must hold together somewhere in the value becomes one node. It is created once however
/// often it occurs, so that recursive schemas terminate. Nodes are compiled from a queue rather than recursively, so
/// that no schema exhausts the stack.
struct SchemaCompiler {
    var builder: ProgramBuilder
    /// The notation of the node that is being compiled.
    private(set) var notation: ValueNotation
    let closesObjects: Bool
    let branches: SchemaBranches
    private var known: [ValueNotation: [[String]: NodeID]] = [:]
    private var queue: [(node: NodeID, schemas: [Subschema], notation: ValueNotation)] = []

    init(
        _ schema: JSONValue, notation: ValueNotation, closesObjects: Bool, builder: ProgramBuilder
    ) throws(ConstraintError) {
        self.builder = builder
        self.closesObjects = closesObjects
        self.notation = notation
        let document = try SchemaDocument(schema, budget: builder.budget)
        branches = SchemaBranches(document: document, automata: builder.automata)
    }

    /// The node of the whole schema, restricted to some kinds of values.
    mutating func compile(kinds: JSONKinds = .all) throws(ConstraintError) -> NodeID {
        let root = try builder.add(.never)
        queue.append((root, [branches.document.root], notation))
        var isFirst = true
        while let (node, schemas, notation) = queue.popLast() {
            self.notation = notation
            builder.nodes[Int(node)] = try compile(schemas, kinds: isFirst ? kinds : .all)
            isFirst = false
        }
        return root
    }

    /// The node for parts of the value that must satisfy several schemas.
    mutating func node(for schemas: [Subschema]) throws(ConstraintError) -> NodeID {
        let restricting = schemas.filter { $0.value != .bool(true) && $0.value != [:] }
        try builder.budget.spend(16 + restricting.reduce(0) { $0 + $1.path.utf8.count } / 2)
        var seen: Set<String> = []
        let key = restricting.map(\.path).filter { seen.insert($0).inserted }
        let notation = notation.nested
        if let node = known[notation]?[key] { return node }
        guard known.values.reduce(0, { $0 + $1.count }) < builder.budget.limits.subschemas else {
            throw ConstraintError(
                .tooLarge, "The schema has too many subschemas; simplify it.", path: restricting.first?.place)
        }
        let node = try builder.add(.never)
        known[notation, default: [:]][key] = node
        queue.append((node, restricting, notation))
        return node
    }

    private mutating func compile(_ schemas: [Subschema], kinds: JSONKinds) throws(ConstraintError) -> Node {
        var options: [SchemaFacts] = []
        for branch in try branches.branches(of: schemas) {
            var facts = try SchemaFacts(branch, branches)
            facts.kinds.formIntersection(kinds)
            facts.applyNumberFormats()
            options.append(facts)
        }
        if notation == .taggedValue, !options.allSatisfy({ $0.allowedKinds.isSubset(of: .string) }) {
            notation = .mixedTaggedValue
        }
        var alternatives: [NodeID] = []
        for facts in options { alternatives += try self.alternatives(facts) }
        return alternatives.count == 1 ? builder.nodes[Int(alternatives[0])] : .choice(alternatives)
    }

    /// The nodes of what one branch allows, one for each kind of value.
    private mutating func alternatives(_ facts: SchemaFacts) throws(ConstraintError) -> [NodeID] {
        if let values = facts.values { return try enumeration(values, facts) }
        var nodes: [NodeID] = []
        if facts.kinds.contains(.object) { nodes.append(try object(facts)) }
        if facts.kinds.contains(.array) { nodes.append(try array(facts)) }
        if facts.kinds.contains(.integer) || facts.kinds.contains(.fraction) { nodes.append(try number(facts)) }
        var words: [String] = []
        if facts.kinds.contains(.boolean) { words += [notation.word(true), notation.word(false)] }
        if facts.kinds.contains(.null) { words.append(notation.null) }
        if !words.isEmpty { nodes.append(try builder.addNode(literals: words.map { Array($0.utf8) })) }
        for index in nodes.indices { nodes[index] = try ended(nodes[index], notation) }
        if facts.kinds.contains(.string) { nodes += try strings(facts) }
        return nodes
    }

    /// A value with what ends it in a notation.
    mutating func ended(_ node: NodeID, _ notation: ValueNotation) throws(ConstraintError) -> NodeID {
        guard !notation.ends.isEmpty else { return node }
        return try builder.add(.sequence([node, try builder.addNode(literals: notation.ends)]))
    }

    /// The nodes of the ways to write strings.
    private mutating func strings(_ facts: SchemaFacts) throws(ConstraintError) -> [NodeID] {
        switch notation {
        case .taggedValue: return [try string(facts, endedBy: notation.ends)]
        case .mixedTaggedValue:
            return [try ended(try string(facts), notation), try string(facts, endedBy: notation.ends)]
        case .marked:
            let opening = try builder.addNode(literals: ValueNotation.marks)
            return [try builder.add(.sequence([opening, try string(facts, endedBy: ValueNotation.marks)]))]
        default: return [try string(facts)]
        }
    }

    private mutating func number(_ facts: SchemaFacts) throws(ConstraintError) -> NodeID {
        let automaton = try facts.numberAutomaton()
        if automaton.isEmpty, let error = facts.errorOfDigits { throw error }
        return try builder.addNode(reading: automaton)
    }

    /// Strings in quotes.
    private mutating func string(_ facts: SchemaFacts) throws(ConstraintError) -> NodeID {
        let (body, minimum, maximum) = try facts.text()
        let quoted = try builder.automata.quoted(body)
        let budget = builder.budget
        return try string(quoted, minimum, maximum, facts) { () throws(ConstraintError) in
            try LengthBounds(minimum: minimum, maximum: maximum, body: body, quoted: quoted, budget: budget)
        }
    }

    /// Strings as they are, with the mark that ends them.
    private mutating func string(
        _ facts: SchemaFacts, endedBy marks: [[UInt8]]
    ) throws(ConstraintError) -> NodeID {
        var (body, minimum, maximum) = try facts.text(.plain)
        if let pattern = notation.unwritable { body = try builder.automata.excluding(pattern, from: body) }
        let ended = try builder.automata.ended(body, by: marks)
        let budget = builder.budget
        return try string(ended, minimum, maximum, facts) { () throws(ConstraintError) in
            let mark = marks.first?.count ?? 0
            // No reply has as many characters as an Int32 holds.
            func withMark(_ length: Int) -> Int { min(length, Int(Int32.max)) + mark }
            return try LengthBounds(
                minimum: withMark(minimum), maximum: maximum.map { withMark($0) }, ended: ended, budget: budget)
        }
    }

    /// Strings of a bounded length.
    private mutating func string(
        _ automaton: ByteDFA, _ minimum: Int, _ maximum: Int?, _ facts: SchemaFacts,
        _ bounds: () throws(ConstraintError) -> LengthBounds
    ) throws(ConstraintError) -> NodeID {
        guard minimum > 0 || maximum != nil, !automaton.isEmpty else { return try builder.addNode(reading: automaton) }
        let counted: LengthBounds
        do throws(ConstraintError) {
            counted = try bounds()
        } catch {
            throw ConstraintError(
                error.code, error.message, keyword: maximum == nil ? "minLength" : "maxLength",
                path: facts.schemas.first?.place)
        }
        if counted.isEmpty { return try builder.add(.never) }
        return try builder.add(.leaf(try builder.addLeaf(Leaf(automaton: automaton, kind: .counted(counted)))))
    }

    private mutating func array(_ facts: SchemaFacts) throws(ConstraintError) -> NodeID {
        if facts.uniqueness != nil, facts.maxItems ?? .max > 1 { return try distinctArray(facts) }
        let declared = try facts.prefixCount()
        var prefix: [NodeID] = []
        for index in 0..<min(declared, facts.maxItems ?? declared) {
            prefix.append(try node(for: try facts.element(at: index)))
        }
        let hasRest = facts.maxItems.map { $0 > declared } ?? true
        return try builder.add(
            .array(
                ArrayShape(
                    punctuation: try builder.punctuation("[", "]"), prefix: prefix,
                    rest: hasRest ? try node(for: try facts.element(at: declared)) : nil,
                    minimum: Int32(clamping: facts.minItems), maximum: Int32(clamping: facts.maxItems ?? .max),
                    contained: try contained(facts, prefixCount: prefix.count, hasRest: hasRest))))
    }

    /// What `contains` asks for.
    private mutating func contained(
        _ facts: SchemaFacts, prefixCount: Int, hasRest: Bool
    ) throws(ConstraintError) -> ArrayShape.Contained? {
        guard let schema = facts.containing, let value = schema.value["contains"] else { return nil }
        let (least, most) = try facts.containedCounts(schema)
        guard least > 0 || most != nil else { return nil }
        let wanted = schema.child(value, "contains")
        var prefix: [NodeID] = []
        for index in 0..<prefixCount { prefix.append(try node(for: try facts.element(at: index) + [wanted])) }
        let rest = hasRest ? try node(for: try facts.element(at: prefixCount) + [wanted]) : nil
        var without: NodeID?
        if most != nil {
            guard prefixCount == 0 else {
                throw schema.error(
                    .unsupported, "maxContains", "It is not supported together with prefixItems; remove one of them.")
            }
            let unwanted = schema.derived("without contained", ["not": value])
            without = hasRest ? try node(for: try facts.element(at: 0) + [unwanted]) : nil
        }
        return ArrayShape.Contained(
            prefix: prefix, rest: rest, without: without, minimum: Int32(clamping: least),
            maximum: Int32(clamping: most ?? .max))
    }
}

extension ByteDFA {
    /// Any number in JSON's notation.
    static let anyNumber: ByteDFA = {
        let numbers = NumberAutomaton(isInteger: false)
        // Cannot fail: without bounds the automaton has some 1,500 states.
        let budget = CompilationBudget(ConstraintLimits(), isWatched: false)
        return (try? numbers.build(budget: budget)) ?? .nothing
    }()
}
