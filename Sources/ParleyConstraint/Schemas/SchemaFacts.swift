// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// What the schemas of one branch say together.
struct SchemaFacts {
    /// The allowed strings: the automaton inside their quotes, and how long they may be.
    typealias Text = (body: ByteDFA, minimum: Int, maximum: Int?)

    let parts: [BranchPart]
    let branches: SchemaBranches
    var kinds = JSONKinds.all
    /// The only values allowed by `enum` or `const`; nil where neither restricts them.
    var values: [JSONValue]?
    var minimum: NumberAutomaton.Bound?
    var maximum: NumberAutomaton.Bound?
    var divisor: NumberAutomaton.Divisor?
    var minLength = 0
    var maxLength: Int?
    /// Patterns of strings, with the keywords and schemas they come from.
    var patterns: [(text: String, keyword: String, schema: Subschema)] = []
    var minItems = 0
    var maxItems: Int?
    var minProperties = 0
    var maxProperties: Int?
    /// Patterns that strings must not match, and texts that they must not be.
    var forbidden: [(pattern: String?, texts: [String])] = []
    /// The schema with `uniqueItems`, if any.
    var uniqueness: Subschema?
    /// The schema whose `contains` counts.
    var containing: Subschema?
    /// The required names, in the order in which the schemas list them.
    var required: OrderedSet<ExactText> = []

    var schemas: [Subschema] { parts.map(\.schema) }
    /// The kinds of the values that `type`, `enum` and `const` allow.
    var allowedKinds: JSONKinds {
        guard let values else { return kinds }
        return values.reduce(into: JSONKinds()) { $0.formUnion(JSONKinds($1)) }.intersection(kinds)
    }
    var budget: CompilationBudget { branches.budget }

    /// Combines the keywords of a branch's schemas.
    init(_ parts: [BranchPart], _ branches: SchemaBranches) throws(ConstraintError) {
        self.parts = parts
        self.branches = branches
        for schema in schemas {
            guard case .object(let members) = schema.value else { continue }
            try budget.spend(members.count)
            for (keyword, value) in members.elements { try read(keyword, value, of: schema) }
        }
    }

    private mutating func read(_ keyword: String, _ value: JSONValue, of schema: Subschema) throws(ConstraintError) {
        switch keyword {
        case "type": kinds.formIntersection(try Self.kinds(value, schema))
        case "enum":
            guard let options = value.array, !options.isEmpty else {
                throw schema.error(.invalidSchema, keyword, "The value must be a list that is not empty.")
            }
            try restrict(to: options)
        case "const": try restrict(to: [value])
        case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum": try readBound(keyword, value, of: schema)
        case "multipleOf": try readDivisor(value, of: schema)
        case "minLength": minLength = max(minLength, try Self.count(keyword, value, schema))
        case "maxLength": maxLength = min(maxLength ?? .max, try Self.count(keyword, value, schema))
        case "minItems": minItems = max(minItems, try Self.count(keyword, value, schema))
        case "maxItems": maxItems = min(maxItems ?? .max, try Self.count(keyword, value, schema))
        case "minProperties": minProperties = max(minProperties, try Self.count(keyword, value, schema))
        case "maxProperties": maxProperties = min(maxProperties ?? .max, try Self.count(keyword, value, schema))
        case "required":
            let names = try Self.names(keyword, value, schema)
            try budget.spend(4 * names.count)
            required.append(contentsOf: names.map { ExactText($0) })
        case "pattern", "format": try readPattern(keyword, value, of: schema)
        case "~kinds": kinds.formIntersection(JSONKinds(rawValue: UInt8(truncatingIfNeeded: value.integer ?? 0)))
        case "~notPattern": forbidden.append((value.string, []))
        case "~notTexts": forbidden.append((nil, value.array?.compactMap(\.string) ?? []))
        case "uniqueItems":
            guard let isUnique = value.bool else {
                throw schema.error(.invalidSchema, keyword, "The value must be true or false.")
            }
            if isUnique { uniqueness = uniqueness ?? schema }
        case "contains":
            guard containing == nil else {
                throw schema.error(.unsupported, keyword, "Only one contains is supported for an array.")
            }
            containing = schema
        case "minContains", "maxContains": _ = try Self.count(keyword, value, schema)
        default: break
        }
    }

    private mutating func restrict(to options: [JSONValue]) throws(ConstraintError) {
        if let known = values {
            try budget.spend(known.count, times: options.count)
            values = known.filter { value in options.contains { $0.isSame(as: value) } }
        } else {
            values = options
        }
    }

    private mutating func readBound(
        _ keyword: String, _ value: JSONValue, of schema: Subschema
    ) throws(ConstraintError) {
        guard let decimal = DecimalNumber(value) else {
            throw schema.error(.invalidSchema, keyword, "The value must be a number.")
        }
        let bound = NumberAutomaton.Bound(value: decimal, isExclusive: keyword.hasPrefix("exclusive"))
        if keyword == "minimum" || keyword == "exclusiveMinimum" {
            guard let known = minimum else { return minimum = bound }
            if known.value < bound.value || (known.value == bound.value && bound.isExclusive) { minimum = bound }
        } else {
            guard let known = maximum else { return maximum = bound }
            if bound.value < known.value || (known.value == bound.value && bound.isExclusive) { maximum = bound }
        }
    }

    private mutating func readDivisor(_ value: JSONValue, of schema: Subschema) throws(ConstraintError) {
        guard let decimal = DecimalNumber(value), !decimal.isNegative, !decimal.isZero else {
            throw schema.error(.invalidSchema, "multipleOf", "The value must be a number above zero.")
        }
        guard let next = NumberAutomaton.Divisor(decimal), let common = divisor.map({ $0.common(with: next) }) ?? next
        else {
            throw schema.error(
                .unsupported, "multipleOf",
                "Only numbers with at most 4 significant digits, 12 digits after the point and 1000 digits in all are supported; "
                    + "remove it, or count in smaller units.")
        }
        divisor = common
        if common.places == 0 { kinds.remove(.fraction) }
    }

    private mutating func readPattern(
        _ keyword: String, _ value: JSONValue, of schema: Subschema
    ) throws(ConstraintError) {
        guard let text = value.string else {
            throw schema.error(.invalidSchema, keyword, "The value must be a string.")
        }
        guard keyword == "format" else { return patterns.append((text, keyword, schema)) }
        guard let format = TextFormat(rawValue: text) else {
            let known = TextFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw schema.error(
                .unsupported, keyword, "The format is not supported; remove it, or use one of: \(known).")
        }
        patterns.append((format.pattern, keyword, schema))
    }

    // MARK: Values of keywords

    static func kinds(_ value: JSONValue, _ schema: Subschema) throws(ConstraintError) -> JSONKinds {
        let names = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        var kinds: JSONKinds = []
        for name in names {
            guard let kind = JSONKinds(named: name) else {
                throw schema.error(.invalidSchema, "type", "The type does not exist; type names are lower-case.")
            }
            kinds.formUnion(kind)
        }
        guard !kinds.isEmpty, value.array?.count ?? 1 == names.count else {
            throw schema.error(.invalidSchema, "type", "The value must be the name of a type or a list of names.")
        }
        return kinds
    }

    static func count(
        _ keyword: String, _ value: JSONValue, _ schema: Subschema
    ) throws(ConstraintError) -> Int {
        guard let number = value.number, number >= 0, number.rounded() == number else {
            throw schema.error(.invalidSchema, keyword, "The value must be a whole number, 0 or more.")
        }
        return Int(min(number, 2_000_000_000))
    }

    static func names(
        _ keyword: String, _ value: JSONValue, _ schema: Subschema
    ) throws(ConstraintError) -> [String] {
        guard let elements = value.array, case let names = elements.compactMap(\.string), names.count == elements.count
        else { throw schema.error(.invalidSchema, keyword, "The value must be a list of strings.") }
        return names
    }
}
