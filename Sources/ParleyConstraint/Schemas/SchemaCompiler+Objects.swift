// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaCompiler {
    mutating func object(_ facts: SchemaFacts) throws(ConstraintError) -> NodeID {
        let declared = try facts.propertyNames()
        try builder.budget.spend(declared.count, times: 8 * facts.schemas.count)
        var notation = notation.holding(declared)
        var others = try facts.otherNames(than: declared)
        let saysNothingOfOthers = others.count == 1 && others[0].schemas.isEmpty && others[0].language == nil
        if notation == .keywordArguments {
            // Calls take the declared arguments only. Where none is declared, the schema's additional ones are allowed.
            let bansOthers = others.allSatisfy { $0.schemas.contains { $0.value == .bool(false) } }
            if declared.isEmpty, !saysNothingOfOthers, !bansOthers {
                notation = .unpackedArguments
            } else {
                others = []
            }
        }
        // Between tags there are no names but the declared ones.
        if notation == .taggedArguments { others = [] }
        let isClosed =
            closesObjects && saysNothingOfOthers && !declared.isEmpty && declared.count >= facts.minProperties
        var names = declared
        var open: [(language: ByteDFA?, value: NodeID)] = []
        for other in isClosed ? [] : others where !other.schemas.contains(where: { $0.value == .bool(false) }) {
            // A few names are treated as declared ones: all of them may be used up.
            if let texts = other.language?.texts(atMost: 64) {
                names += texts.compactMap { Self.name($0) }
            } else {
                let total = other.language?.completions()?.first ?? .max
                guard facts.minProperties <= Int(total) else {
                    throw ConstraintError(
                        .unsupported,
                        "This number of properties is not supported together with patterns for their names.",
                        keyword: "minProperties", path: facts.schemas.first?.place)
                }
                open.append((other.language, try node(for: other.schemas)))
            }
        }
        var properties: [(name: String, property: ObjectShape.Property)] = []
        var excluded: [String] = []
        for name in names {
            let schemas = try facts.property(name) + (try facts.naming(name))
            let isRequired = facts.required.contains(ExactText(name))
            if notation.spellings(ofName: name).isEmpty {
                if isRequired { return try builder.add(.never) }
                continue
            }
            if !isRequired, schemas.contains(where: { $0.value == .bool(false) }) {
                excluded.append(name)
            } else {
                properties.append((name, .init(value: try node(for: schemas), isRequired: isRequired)))
            }
        }
        return try addObject(
            properties, excluding: excluded, others: open, minimum: facts.minProperties, maximum: facts.maxProperties,
            notation: notation)
    }

    /// A name as a text, from its letters in a JSON string.
    private static func name(_ bytes: [UInt8]) -> String? {
        let quote = [UInt8(ascii: "\"")]
        return (try? JSONValue(parsing: quote + bytes + quote))?.string
    }

    private mutating func addObject(
        _ properties: [(name: String, property: ObjectShape.Property)], excluding excluded: [String] = [],
        others: [(language: ByteDFA?, value: NodeID)] = [], minimum: Int, maximum: Int?, notation: ValueNotation
    ) throws(ConstraintError) -> NodeID {
        let encoded = properties.map { TextEncoding.json.bytes(of: $0.name) }
        let spelled = properties.indices.flatMap { index in
            notation.spellings(ofName: properties[index].name).map { (bytes: $0, tag: Int32(index)) }
        }
        let automaton = try ByteDFA.literals(spelled, budget: builder.budget)
        let declaredNames = builder.reserveLeaf()
        var indices = Dictionary(
            excluded.map { (TextEncoding.json.bytes(of: $0), Int.max - 1) }, uniquingKeysWith: { first, _ in first })
        for (index, name) in encoded.enumerated() { indices[name] = index }
        var regions: [(region: ObjectShape.Others, automaton: ByteDFA)] = []
        for other in others {
            let quoted = try builder.automata.quoted(other.language ?? StringAutomaton.canonicalText)
            let isBounded = other.language?.completions() != nil
            regions.append(
                (
                    .init(
                        name: builder.reserveLeaf(), value: other.value,
                        completions: isBounded ? quoted.completions() ?? [] : []), quoted
                ))
        }
        let shape = ObjectShape(
            punctuation: try punctuation(ofObjectsIn: notation),
            properties: properties.map(\.property), declaredNames: declaredNames,
            reachable: try automaton.reachableTags(budget: builder.budget), indices: indices,
            others: regions.map(\.region), colon: try builder.leaf(pattern: ": ?"), minimum: Int32(clamping: minimum),
            maximum: Int32(clamping: maximum ?? .max))
        try builder.define(declaredNames, Leaf(automaton: automaton, kind: .declaredName(shape)))
        for (index, other) in regions.enumerated() {
            try builder.define(other.region.name, Leaf(automaton: other.automaton, kind: .newName(shape, index)))
        }
        return try builder.add(.object(shape))
    }

    /// The punctuation of objects in a notation.
    private mutating func punctuation(ofObjectsIn notation: ValueNotation) throws(ConstraintError) -> Punctuation {
        guard notation == .taggedArguments else {
            return try builder.punctuation(notation.brackets.open, notation.brackets.close)
        }
        // The function's tag, `<function=name>`, is closed before the arguments.
        let end = Array("</function>".utf8)
        let newline = UInt8(ascii: "\n")
        return Punctuation(
            open: try builder.literalLeaf([UInt8(ascii: ">"), newline]), comma: try builder.literalLeaf([newline]),
            closeEmpty: try builder.literalLeaf(end), close: try builder.literalLeaf([newline] + end))
    }

    // MARK: Constants

    /// The nodes of the values of `enum` or `const` that satisfy the other keywords.
    mutating func enumeration(_ values: [JSONValue], _ facts: SchemaFacts) throws(ConstraintError) -> [NodeID] {
        let kept = try facts.accepted(of: values)
        let texts = kept.flatMap { notation.spellings(ofScalar: $0) }
        var nodes: [NodeID] = []
        if !texts.isEmpty { nodes.append(try builder.addNode(literals: texts)) }
        for value in kept where value.array != nil || value.object != nil {
            nodes.append(try constant(value, notation))
        }
        return nodes
    }

    /// The node of one value, with what ends it in the notation.
    mutating func constant(_ value: JSONValue, _ notation: ValueNotation) throws(ConstraintError) -> NodeID {
        switch value {
        case .array(let elements):
            var prefix: [NodeID] = []
            for element in elements { prefix.append(try constant(element, notation.nested)) }
            let count = Int32(clamping: elements.count)
            let node = try builder.add(
                .array(
                    ArrayShape(
                        punctuation: try builder.punctuation("[", "]"), prefix: prefix, rest: nil, minimum: count,
                        maximum: count)))
            return try ended(node, notation)
        case .object(let members):
            var properties: [(name: String, property: ObjectShape.Property)] = []
            for (name, value) in members.elements {
                properties.append((name, .init(value: try constant(value, notation.nested), isRequired: true)))
            }
            let node = try addObject(
                properties, minimum: 0, maximum: nil, notation: notation.holding(Array(members.keys)))
            return try ended(node, notation)
        default:
            return try builder.addNode(literals: notation.spellings(ofScalar: value))
        }
    }
}

extension ByteDFA {
    /// For each state of an automaton of literals, the tags of the literals that begin with what has been read.
    func reachableTags(budget: CompilationBudget) throws(ConstraintError) -> [[Int32]] {
        var reachable = [[Int32]](repeating: [], count: stateCount)
        // States are numbered by their distance from the first, so that what follows one has a larger number.
        for state in tags.indices.reversed() {
            var found = Set(tags[state] >= 0 ? [tags[state]] : [])
            for target in table[(state * stride)..<((state + 1) * stride)] where target >= 0 {
                try budget.spend(1 + reachable[Int(target)].count)
                found.formUnion(reachable[Int(target)])
            }
            reachable[state] = found.sorted()
        }
        return reachable
    }
}
