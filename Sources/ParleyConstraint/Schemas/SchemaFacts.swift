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
    /// The formats of numbers; they say nothing of the values of `enum` and `const`.
    private var numberFormats: [NumberFormat] = []
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
            try budget.spend(1 + members.count)
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
        guard let known = values else { return values = options }
        var allowed: Set<ComparedValue> = []
        for option in options { allowed.insert(try ComparedValue(option, budget)) }
        var kept: [JSONValue] = []
        for value in known where allowed.contains(try ComparedValue(value, budget)) { kept.append(value) }
        values = kept
    }

    private mutating func readBound(
        _ keyword: String, _ value: JSONValue, of schema: Subschema
    ) throws(ConstraintError) {
        guard let decimal = DecimalNumber(value) else {
            throw schema.error(.invalidSchema, keyword, "The value must be a number.")
        }
        let bound = NumberAutomaton.Bound(value: decimal, isExclusive: keyword.hasPrefix("exclusive"))
        if keyword == "minimum" || keyword == "exclusiveMinimum" { raise(to: bound) } else { lower(to: bound) }
    }

    private mutating func raise(to bound: NumberAutomaton.Bound) {
        guard let known = minimum else { return minimum = bound }
        if known.value < bound.value || (known.value == bound.value && bound.isExclusive) { minimum = bound }
    }

    private mutating func lower(to bound: NumberAutomaton.Bound) {
        guard let known = maximum else { return maximum = bound }
        if bound.value < known.value || (known.value == bound.value && bound.isExclusive) { maximum = bound }
    }

    /// Restricts numbers to what the formats allow, unless their values are listed.
    mutating func applyNumberFormats() {
        guard values == nil else { return }
        for format in numberFormats {
            if format.isInteger { kinds.remove(.fraction) }
            guard let bounds = format.bounds else { continue }
            if let low = DecimalNumber(bounds.lowest) { raise(to: .init(value: low, isExclusive: false)) }
            if let high = DecimalNumber(bounds.highest) { lower(to: .init(value: high, isExclusive: false)) }
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
                "Only numbers that without their point are at most 1000 (0.25 counts as 25), with at most 12 digits "
                    + "after it, are supported; remove it, or count in other units.")
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
        if let format = NumberFormat(rawValue: text) { return numberFormats.append(format) }
        guard let format = TextFormat(rawValue: text) else {
            let names = TextFormat.allCases.map(\.rawValue) + NumberFormat.allCases.map(\.rawValue)
            let known = names.joined(separator: ", ")
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
