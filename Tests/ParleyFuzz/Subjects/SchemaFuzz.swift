// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import ParleyTokenizer

/// Random schemas. They compile or are refused; replies that their masks allow are valid; and values are accepted as by
/// a validator that evaluates the schema without an automaton.
struct SchemaFuzz: FuzzSubject {
    static let name = "schemas"

    private static let end: TokenID = 0
    private let texts: [[UInt8]]
    private let trie: TokenTrie

    init() {
        let pieces = [
            "{\"", "\":", "\",\"", "\"}", "[\"", "]]", "true", "null", "ab", "\"a\":", "1,", "0.5", "\\u00", "a\"",
            "éa",
        ]
        texts = [[]] + (0...255).map { [UInt8($0)] } + pieces.map { Array($0.utf8) }
        trie = TokenTrie(texts, endOfGeneration: [Self.end])
    }

    func run(_ random: inout SplitMix64) throws {
        var maker = SchemaMaker(random: random)
        let schema = maker.schema(depth: 3)
        defer { random = maker.random }
        // Smaller limits than the defaults, so that cases are quick. A refused schema is not a failure.
        let limits = ConstraintLimits(steps: 1_000_000, valueDepth: 12)
        guard let program = try? ConstraintProgram(schema: schema, limits: limits) else { return }
        let validator = try SchemaValidator(schema, limits: ConstraintLimits(steps: 20_000_000))
        var values = (0..<4).map { _ in maker.value(depth: 3) }
        if let text = try walk(program, schema, &maker.random) {
            guard let value = try? JSONValue(parsing: text) else {
                throw FuzzFailure("\(schema): what was written is no JSON: \(String(decoding: text, as: UTF8.self))")
            }
            guard let isValid = Self.judgement(of: value, by: validator) else { return }
            guard isValid else {
                throw FuzzFailure("\(schema): the mask let \(value) be written.")
            }
            guard program.accepts(text) else { throw FuzzFailure("\(schema): \(value) was written and is refused.") }
            values.append(value)
            values.append(maker.mutated(value))
            values.append(maker.mutated(value))
        }
        for value in values {
            guard let isValid = Self.judgement(of: value, by: validator) else { return }
            guard program.accepts(value) == isValid || (isValid && !Self.isWritten(value)) else {
                throw FuzzFailure("\(schema): \(value) is \(isValid ? "" : "in")valid and judged otherwise.")
            }
        }
    }

    /// Whether a value is valid; nil where that cannot be said: the compiler does not look into parts that nothing can
    /// reach, and the validator may meet there what it does not support.
    private static func judgement(of value: JSONValue, by validator: SchemaValidator) -> Bool? {
        try? validator.accepts(value)
    }

    /// Whether all numbers of a value have so few digits that a mask lets them be written where they are bounded.
    private static func isWritten(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): return elements.allSatisfy(isWritten)
        case .object(let members): return members.values.allSatisfy(isWritten)
        case .number, .decimal:
            let known = DecimalDigits(value.description)
            return known.point <= 24 && known.digits.count - known.point <= 24
        default: return true
        }
    }

    /// A reply sampled by the masks alone; nil if it did not end in time.
    private func walk(
        _ program: ConstraintProgram, _ schema: JSONValue, _ random: inout SplitMix64
    ) throws -> [UInt8]? {
        var constraint = Constraint(TokenMasks(program, trie))
        var mask = TokenMask(vocabularySize: texts.count)
        var text: [UInt8] = []
        for step in 0..<80 {
            try constraint.allow(into: &mask)
            let allowed = texts.indices.filter { mask[TokenID($0)] }
            if mask[Self.end], allowed.count == 1 || random.oneIn(3) || step > 30 { return text }
            // Closing brackets and quotes become more and more likely.
            let closing = allowed.filter { texts[$0] == [0x22] || texts[$0] == [0x5D] || texts[$0] == [0x7D] }
            let choice = !closing.isEmpty && random.int(0...40) < step ? closing : allowed.filter { $0 > 0 }
            guard !choice.isEmpty else {
                throw FuzzFailure("\(schema): a dead end after \(String(decoding: text, as: UTF8.self))")
            }
            let token = random.pick(choice)
            guard constraint.accept(TokenID(token)) else {
                throw FuzzFailure(
                    "\(schema): the mask allows what is refused after \(String(decoding: text, as: UTF8.self))")
            }
            text += texts[token]
        }
        return nil
    }
}

/// Makes schemas of every keyword, and values that may fit.
private struct SchemaMaker {
    var random: SplitMix64

    private static let names = ["a", "b", "ab", "", "é", "e\u{301}", "\"", "a/b"]
    private static let patterns = [
        "^a", "b$", "^(a|b)*$", "^[^a]+$", "^a{2,5}$", "é", "^.$", "^a$|^b$", "^[a-c]$", "", "(",
    ]
    private static let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"]
    private static let formats = ["date", "ipv4", "uuid", "time", "nonsense"]

    mutating func schema(depth: Int) -> JSONValue {
        guard depth > 0, !random.oneIn(12) else { return random.oneIn(4) ? false : true }
        var schema: JSONValue = [:]
        for _ in 0..<random.int(1...3) { add(to: &schema, depth: depth - 1) }
        return schema
    }

    private mutating func add(to schema: inout JSONValue, depth: Int) {
        switch random.int(0...28) {
        case 0...3: schema["type"] = .string(random.pick(Self.kinds))
        case 4: schema["type"] = .array((0..<2).map { _ in .string(random.pick(Self.kinds)) })
        case 5, 6: schema["properties"] = named(depth)
        case 7: schema["required"] = .array((0...random.int(0...1)).map { _ in .string(random.pick(Self.names)) })
        case 8: schema["additionalProperties"] = self.schema(depth: depth)
        case 9:
            var members: JSONValue = [:]
            for _ in 0...random.int(0...1) { members[random.pick(Self.patterns)] = self.schema(depth: depth) }
            schema["patternProperties"] = members
        case 10: schema["propertyNames"] = self.schema(depth: depth)
        case 11: schema["dependentRequired"] = [random.pick(Self.names): [.string(random.pick(Self.names))]]
        case 12: schema["dependentSchemas"] = named(depth)
        case 13: schema["items"] = self.schema(depth: depth)
        case 14: schema["prefixItems"] = .array((0...random.int(0...1)).map { _ in self.schema(depth: depth) })
        case 15:
            schema["contains"] = self.schema(depth: depth)
            if random.oneIn(2) { schema["minContains"] = count() }
            if random.oneIn(3) { schema["maxContains"] = count() }
        case 16: schema["unevaluatedProperties"] = self.schema(depth: depth)
        case 17: schema["unevaluatedItems"] = self.schema(depth: depth)
        case 18:
            let keywords = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]
            schema[random.pick(keywords)] = count()
        case 19:
            let keywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
            schema[random.pick(keywords)] = number()
        case 20: schema["pattern"] = .string(random.pick(Self.patterns))
        case 21: schema["enum"] = .array((0...random.int(0...2)).map { _ in value(depth: 1) })
        case 22: schema["const"] = value(depth: 2)
        case 23, 24:
            let keyword = random.pick(["anyOf", "oneOf", "allOf"])
            schema[keyword] = .array((0...random.int(0...2)).map { _ in self.schema(depth: depth) })
        case 25: schema["not"] = self.schema(depth: depth)
        case 26:
            schema["if"] = self.schema(depth: depth)
            schema["then"] = self.schema(depth: depth)
            if random.oneIn(2) { schema["else"] = self.schema(depth: depth) }
        case 27: schema["uniqueItems"] = .bool(!random.oneIn(6))
        default:
            if random.oneIn(4) {
                schema["format"] = .string(random.pick(Self.formats))
            } else {
                schema["$ref"] = .string(random.pick(["#", "#/properties/a", "#/items", "#/$defs/a", "#x"]))
            }
        }
    }

    private mutating func named(_ depth: Int) -> JSONValue {
        var members: JSONValue = [:]
        for _ in 0...random.int(0...2) { members[random.pick(Self.names)] = schema(depth: depth) }
        return members
    }

    private mutating func count() -> JSONValue {
        random.oneIn(8) ? number() : .integer(random.int(0...3))
    }

    /// A number, now and then one that is likely to break arithmetic.
    private mutating func number() -> JSONValue {
        switch random.int(0...7) {
        case 0...3: .integer(random.int(-3...10))
        case 4: .number(random.pick([0.5, 0.1, -1.5, 2.25, 1e20, 1e-5, 0.01]))
        case 5: JSONValue(random.hostileInteger())
        case 6: .number(Double(bitPattern: random.next()).isFinite ? random.pick([1e300, -1e300, 1e-300]) : 0)
        default: JSONValue(number: random.pick(["18446744073709551616", "1e-400", "0.10000000000000000001"])) ?? 0
        }
    }

    mutating func value(depth: Int) -> JSONValue {
        switch random.int(0...(depth > 0 ? 9 : 6)) {
        case 0: return nil
        case 1: return .bool(random.oneIn(2))
        case 2: return .integer(random.int(-3...10))
        case 3: return .number(random.pick([0.5, 1, -1.5, 2.25, 0.1, 1e20]))
        case 4, 5:
            let texts = ["", "a", "b", "ab", "aa", "é", "e\u{301}", "\"\n", "2024-02-29", "1.2.3.4"]
            return .string(random.pick(texts))
        case 6: return .integer(random.int(0...1))
        case 7: return .array((0..<random.int(0...3)).map { _ in value(depth: depth - 1) })
        default:
            var members: JSONValue = [:]
            for _ in 0..<random.int(0...3) { members[random.pick(Self.names)] = value(depth: depth - 1) }
            return members
        }
    }

    /// The value with some part of it changed.
    mutating func mutated(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(var elements) where !elements.isEmpty && !random.oneIn(4):
            let index = random.int(0...elements.count - 1)
            switch random.int(0...2) {
            case 0: elements.remove(at: index)
            case 1: elements.insert(self.value(depth: 1), at: index)
            default: elements[index] = mutated(elements[index])
            }
            return .array(elements)
        case .object(var members) where !members.isEmpty && !random.oneIn(4):
            let name = random.pick(Array(members.keys))
            switch random.int(0...2) {
            case 0: members[name] = nil
            case 1: members[random.pick(Self.names)] = self.value(depth: 1)
            default: members[name] = mutated(members[name] ?? nil)
            }
            return .object(members)
        default: return self.value(depth: 1)
        }
    }
}
