// SPDX-License-Identifier: Apache-2.0

/// Collects the nodes and leaves of a program.
struct ProgramBuilder {
    let limits: ConstraintLimits
    var nodes: [Node] = []
    private(set) var leaves: [Leaf] = []
    private var transitions = 0
    private var plainLeaves: [ObjectIdentifier: LeafID] = [:]
    private var literals: [[UInt8]: LeafID] = [:]
    private var automata: [AutomatonKey: ByteDFA] = [:]

    enum AutomatonKey: Hashable {
        case pattern(String, anywhere: Bool, isPlain: Bool)
        case repeating(CodePointSet)
        case number(NumberAutomaton)
        case quoted(Identity)
    }

    /// Which automaton it is. It is kept, for what is made after one that is gone may stand in its place.
    struct Identity: Hashable {
        let automaton: ByteDFA

        static func == (left: Identity, right: Identity) -> Bool { left.automaton === right.automaton }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(automaton)) }
    }

    init(limits: ConstraintLimits) {
        self.limits = limits
    }

    mutating func add(_ node: Node) throws(ConstraintError) -> NodeID {
        guard nodes.count < limits.subschemas * 16 else {
            throw ConstraintError(.tooLarge, "The schema or grammar has too many parts; simplify it.")
        }
        nodes.append(node)
        return NodeID(nodes.count - 1)
    }

    mutating func addLeaf(_ leaf: Leaf) throws(ConstraintError) -> LeafID {
        if case .plain = leaf.kind, let known = plainLeaves[ObjectIdentifier(leaf.automaton)] { return known }
        let id = reserveLeaf()
        try define(id, leaf)
        if case .plain = leaf.kind { plainLeaves[ObjectIdentifier(leaf.automaton)] = id }
        return id
    }

    /// A leaf that is to be defined once what it belongs to is known.
    mutating func reserveLeaf() -> LeafID {
        leaves.append(Leaf(automaton: .nothing))
        return LeafID(leaves.count - 1)
    }

    mutating func define(_ id: LeafID, _ leaf: Leaf) throws(ConstraintError) {
        transitions += leaf.automaton.table.count
        guard transitions <= limits.transitions else {
            throw ConstraintError(.tooLarge, "The strings and numbers need too much memory; simplify the schema.")
        }
        leaves[Int(id)] = leaf
    }

    /// A node that reads what an automaton accepts.
    mutating func addNode(reading automaton: ByteDFA) throws(ConstraintError) -> NodeID {
        try add(.leaf(try addLeaf(Leaf(automaton: automaton))))
    }

    mutating func literalLeaf(_ bytes: [UInt8]) throws(ConstraintError) -> LeafID {
        if let known = literals[bytes] { return known }
        let leaf = try addLeaf(Leaf(automaton: .literal(bytes)))
        literals[bytes] = leaf
        return leaf
    }

    mutating func addNode(literal bytes: [UInt8]) throws(ConstraintError) -> NodeID {
        try add(.leaf(try literalLeaf(bytes)))
    }

    /// Builds an automaton unless it has been built before.
    mutating func automaton(
        _ key: AutomatonKey, _ build: () throws(ConstraintError) -> ByteDFA
    ) throws(ConstraintError) -> ByteDFA {
        if let known = automata[key] { return known }
        let automaton = try build()
        automata[key] = automaton
        return automaton
    }

    /// The automaton of a pattern over all of a text, or anywhere in it.
    mutating func automaton(
        ofPattern text: String, encoding: TextEncoding, anywhere: Bool
    ) throws(ConstraintError) -> ByteDFA {
        let limits = self.limits
        return try automaton(.pattern(text, anywhere: anywhere, isPlain: encoding == .plain)) {
            () throws(ConstraintError) in
            let pattern = try PatternParser.parse(text, depthLimit: limits.schemaDepth)
            return try .matching(pattern, encoding: encoding, anywhere: anywhere, limits: limits)
        }
    }

    /// White space that a writer may leave between the parts of a value: none, a space, or a line break with its
    /// indentation. It is bounded, so that no model can go on with it for ever.
    static let whitespace = "(?: |\\n(?: {0,32}|\\t{0,8}))?"

    /// The punctuation of arrays and objects between two brackets.
    mutating func punctuation(_ open: String, _ close: String) throws(ConstraintError) -> Punctuation {
        Punctuation(
            open: try leaf(pattern: Self.escaped(open) + Self.whitespace),
            comma: try leaf(pattern: "," + Self.whitespace),
            closeEmpty: try literalLeaf(Array(close.utf8)),
            close: try leaf(pattern: Self.whitespace + Self.escaped(close)))
    }

    /// A text of punctuation as a pattern.
    private static func escaped(_ text: String) -> String { text.map { "\\\($0)" }.joined() }

    /// A leaf that reads what a pattern matches.
    mutating func leaf(pattern: String) throws(ConstraintError) -> LeafID {
        try addLeaf(Leaf(automaton: try automaton(ofPattern: pattern, encoding: .plain, anywhere: false)))
    }
}
