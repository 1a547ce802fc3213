// SPDX-License-Identifier: Apache-2.0

/// Collects the nodes and leaves of a program.
struct ProgramBuilder {
    let budget: CompilationBudget
    var nodes: [Node] = []
    private(set) var leaves: [Leaf] = []
    private var transitions = 0
    private var plainLeaves: [ObjectIdentifier: LeafID] = [:]
    private var literals: [[UInt8]: LeafID] = [:]
    let automata: AutomatonStore

    init(budget: CompilationBudget) {
        self.budget = budget
        automata = AutomatonStore(budget)
    }

    mutating func add(_ node: Node) throws(ConstraintError) -> NodeID {
        try budget.spend(16)
        guard nodes.count < budget.limits.subschemas * 16 else {
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

    /// Reserves a leaf that is defined later, once the shape it belongs to is known.
    mutating func reserveLeaf() -> LeafID {
        leaves.append(Leaf(automaton: .nothing))
        return LeafID(leaves.count - 1)
    }

    mutating func define(_ id: LeafID, _ leaf: Leaf) throws(ConstraintError) {
        transitions += leaf.automaton.table.count
        guard transitions <= budget.limits.transitions else {
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
        let leaf = try addLeaf(Leaf(automaton: try .literals([(bytes, Int32(0))], budget: budget)))
        literals[bytes] = leaf
        return leaf
    }

    /// A node that reads any one of several texts.
    mutating func addNode(literals texts: [[UInt8]]) throws(ConstraintError) -> NodeID {
        try addNode(reading: .literals(texts.map { ($0, 0) }, budget: budget))
    }

    mutating func addNode(literal bytes: [UInt8]) throws(ConstraintError) -> NodeID {
        try add(.leaf(try literalLeaf(bytes)))
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
        try addLeaf(Leaf(automaton: try automata.automaton(ofPattern: pattern, encoding: .plain, anywhere: false)))
    }
}
