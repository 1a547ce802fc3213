// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaCompiler {
    mutating func object(_ facts: SchemaFacts) throws(ConstraintError) -> NodeID {
        let names = try facts.propertyNames()
        var properties: [ObjectShape.Property] = []
        let required = Set(facts.required)
        for name in names {
            properties.append(
                .init(value: try node(for: facts.property(name)), isRequired: required.contains(name)))
        }
        let others = facts.additionalProperty()
        let bansOthers = others.contains { $0.value == .bool(false) }
        var notation = notation.holding(names)
        // Arguments are those that are declared. Where none is, they are what the schema lets in, of any name.
        if notation == .keywordArguments, names.isEmpty, !others.isEmpty, !bansOthers { notation = .unpackedArguments }
        let isClosed =
            notation == .keywordArguments || bansOthers
            || (closesObjects && others.isEmpty && !names.isEmpty && names.count >= facts.minProperties)
        return try addObject(
            names: names, properties: properties, additional: isClosed ? nil : try node(for: others),
            minimum: facts.minProperties, maximum: facts.maxProperties, notation: notation)
    }

    private mutating func addObject(
        names: [String], properties: [ObjectShape.Property], additional: NodeID?, minimum: Int, maximum: Int?,
        notation: ValueNotation
    ) throws(ConstraintError) -> NodeID {
        let encoded = names.map { TextEncoding.json.bytes(of: $0) }
        let spelled = encoded.enumerated().flatMap { index, name in
            notation.spellings(ofName: name).map { (bytes: $0, tag: Int32(index)) }
        }
        let automaton = ByteDFA.literals(spelled)
        let declaredNames = builder.reserveLeaf()
        let newName = builder.reserveLeaf()
        let colon = try builder.leaf(pattern: ": ?")
        let shape = ObjectShape(
            punctuation: try builder.punctuation(notation.brackets.open, notation.brackets.close),
            properties: properties, declaredNames: declaredNames, reachable: automaton.reachableTags(),
            indices: Dictionary(
                encoded.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first }),
            additional: additional, newName: newName, colon: colon,
            minimum: Int32(clamping: minimum), maximum: Int32(clamping: maximum ?? .max))
        try builder.define(declaredNames, Leaf(automaton: automaton, kind: .declaredName(shape)))
        try builder.define(newName, Leaf(automaton: StringAutomaton.canonicalString, kind: .newName(shape)))
        return try builder.add(.object(shape))
    }

    // MARK: Constants

    /// The nodes of the values of `enum` or `const` that satisfy what else is said.
    mutating func enumeration(_ values: [JSONValue], _ given: SchemaFacts) throws(ConstraintError) -> [NodeID] {
        var kept: [JSONValue] = []
        var facts = given
        facts.values = nil
        if !facts.patterns.isEmpty { facts.knownText = try facts.text(&builder) }
        for value in values where try facts.accepts(value, branches) { kept.append(value) }
        let texts = kept.flatMap { notation.spellings(ofScalar: $0) }
        var nodes: [NodeID] = []
        if !texts.isEmpty { nodes.append(try builder.addNode(reading: .literals(texts.map { ($0, 0) }))) }
        for value in kept where value.array != nil || value.object != nil {
            nodes.append(try constant(value, notation))
        }
        return nodes
    }

    private mutating func constant(_ value: JSONValue, _ notation: ValueNotation) throws(ConstraintError) -> NodeID {
        switch value {
        case .array(let elements):
            var prefix: [NodeID] = []
            for element in elements { prefix.append(try constant(element, notation.nested)) }
            let count = Int32(clamping: elements.count)
            return try builder.add(
                .array(
                    ArrayShape(
                        punctuation: try builder.punctuation("[", "]"), prefix: prefix, rest: nil, minimum: count,
                        maximum: count)))
        case .object(let members):
            var properties: [ObjectShape.Property] = []
            for value in members.values {
                properties.append(.init(value: try constant(value, notation.nested), isRequired: true))
            }
            let names = Array(members.keys)
            return try addObject(
                names: names, properties: properties, additional: nil, minimum: 0, maximum: nil,
                notation: notation.holding(names))
        default:
            return try builder.addNode(reading: .literals(notation.spellings(ofScalar: value).map { ($0, 0) }))
        }
    }
}

extension ByteDFA {
    /// For each state of an automaton of literals, the tags of the literals that begin with what has been read.
    func reachableTags() -> [[Int32]] {
        var reachable = [[Int32]](repeating: [], count: stateCount)
        // States are numbered by their distance from the first, so that what follows one has a larger number.
        for state in tags.indices.reversed() {
            var found = Set(tags[state] >= 0 ? [tags[state]] : [])
            for target in table[(state * stride)..<((state + 1) * stride)] where target >= 0 {
                found.formUnion(reachable[Int(target)])
            }
            reachable[state] = found.sorted()
        }
        return reachable
    }
}
