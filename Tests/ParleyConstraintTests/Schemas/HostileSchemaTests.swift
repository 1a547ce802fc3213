// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import Testing

@Suite("Hostile schemas")
struct HostileSchemaTests {
    private func nested(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(["type": "null"] as JSONValue) { inner, _ in ["items": inner] }
    }

    private func chain(_ count: Int) -> JSONValue {
        var definitions: JSONValue = [:]
        for index in 0..<count { definitions["d\(index)"] = ["$ref": .string("#/$defs/d\(index + 1)")] }
        definitions["d\(count)"] = ["type": "null"]
        return ["$ref": "#/$defs/d0", "$defs": definitions]
    }

    @Test("Huge counts cost nothing")
    func hugeCounts() throws {
        let schema: JSONValue = [
            "type": "array", "minItems": 1, "maxItems": 1_000_000_000,
            "items": ["type": "string", "minLength": 1, "maxLength": 1_000_000_000, "pattern": "^[a-z]{0,999999999}$"],
        ]
        let program = try ConstraintProgram(schema: schema)
        #expect(program.accepts(["abc"]))
        #expect(!program.accepts([]))
        #expect(!program.accepts([""]))
    }

    @Test(
        "Schemas of exponential size are refused",
        arguments: [
            #"{"pattern": "(a|b)*a(a|b){20}"}"#, #"{"pattern": "^(.{1,1000}x){1000}$"}"#,
            #"{"pattern": "((((a{100}){100}){100}){100})"}"#,
            #"{"type": "string", "pattern": "^(ab)*$", "maxLength": 999999999}"#,
        ])
    func explosions(_ text: String) throws {
        let schema = try JSONValue(parsing: text)
        let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: schema) }
        #expect(error?.code == .tooLarge)
    }

    @Test("Deep, long and wide schemas end in time, with a program or an error")
    func largeSchemas() throws {
        #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: nested(250)) }
        #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: chain(5_000)) }
        let option: JSONValue = ["anyOf": .array((0..<4).map { ["properties": ["p\($0)": ["type": "null"]]] })]
        #expect(throws: ConstraintError.self) {
            try ConstraintProgram(schema: ["allOf": .array(Array(repeating: option, count: 20))])
        }
        var properties: JSONValue = [:]
        for index in 0..<2_000 { properties["property \(index)"] = ["type": "integer"] }
        let wide = try ConstraintProgram(schema: ["type": "object", "properties": properties])
        #expect(wide.accepts(["property 1999": 1]))
        let words = JSONValue.array((0..<5_000).map { .string("word \($0)") })
        #expect(try ConstraintProgram(schema: ["enum": words]).accepts("word 4999"))
    }

    @Test("Lists and names of any size end with a program or an error that names the limit")
    func hugeLists() throws {
        let words = (0..<300_000).map { JSONValue.string("a word \($0)") }
        let numbers = (0..<300_000).map { JSONValue.integer($0) }
        let named = JSONObject(uniqueKeysWithValues: (0..<100_000).map { ("property \($0)", JSONValue.bool(true)) })
        let long = String(repeating: "x", count: 1_000_000)
        let schemas: [JSONValue] = [
            ["enum": .array(words)], ["not": ["enum": .array(words)]], ["not": ["enum": .array(numbers)]],
            ["allOf": [["enum": .array(numbers)], ["enum": .array(numbers)]]], ["required": .array(words)],
            ["anyOf": [["enum": .array(words), "pattern": "a"], ["type": "null"]]], ["properties": .object(named)],
            ["oneOf": [["properties": .object(named)], ["required": .array(words)]]], ["const": .string(long)],
            ["properties": .object([long: true, long + "y": ["$ref": "#"]])], ["pattern": .string(long)],
            ["patternProperties": .object([long: true])], ["$ref": .string("#/" + long)], ["$id": .string(long)],
            ["anyOf": .array(Array(repeating: ["type": "string"], count: 100_000))],
            ["allOf": .array(Array(repeating: ["type": "string"], count: 100_000))],
            ["prefixItems": .array(Array(repeating: true, count: 100_000)), "contains": 1],
            ["dependentRequired": .object(JSONObject(uniqueKeysWithValues: named.keys.map { ($0, ["a"]) }))],
        ]
        for schema in schemas {
            do {
                _ = try ConstraintProgram(schema: schema)
            } catch {
                #expect([.tooLarge, .invalidSchema, .unsupported].contains(error.code), "\(error)")
            }
        }
    }

    @Test("Negated lists whose options grow with the square of their length are bounded")
    func negatedLists() {
        func not(_ keyword: String, _ count: Int) -> JSONValue {
            ["not": [keyword: .array((0..<count).map { ["const": .integer($0)] })]]
        }
        let pairs = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: not("oneOf", 65)) }
        #expect(pairs?.code == .tooLarge)
        #expect(pairs?.keyword == "oneOf")
        let many = not("prefixItems", 2_000)
        let prefixes = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: many) }
        #expect(prefixes?.code == .tooLarge)
        #expect(prefixes?.message.contains("steps") == true)
    }

    @Test("Reading the same value, pattern, name or list for each of many schemas is charged each time")
    func repeatedReading() {
        func all(_ count: Int, _ schema: JSONValue) -> JSONValue { .array(Array(repeating: schema, count: count)) }
        let long = JSONValue.string(String(repeating: "x", count: 200_000))
        let pattern = "^[" + String(repeating: "a", count: 16_000) + "]*$"
        let name = String(repeating: "n", count: 500_000)
        let names = JSONObject(uniqueKeysWithValues: (0..<100).map { ("p\($0)", JSONValue.bool(true)) })
        let schemas: [JSONValue] = [
            ["enum": [[long]], "items": ["allOf": all(2_000, [:])]],
            ["enum": [all(10_000, "a")], "items": ["pattern": .string(pattern)]],
            ["properties": .object([name: ["enum": [all(20_000, 1)], "items": [:]]])],
            ["allOf": all(3_000, ["unevaluatedProperties": true]), "properties": .object(names)],
            ["allOf": all(20_000, [:]), "prefixItems": all(20_000, true)],
        ]
        for (index, schema) in schemas.enumerated() {
            let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: schema) }
            #expect(error?.code == .tooLarge, "\(index)")
        }
    }

    @Test("Lists of values that hold at once are compared in a time that grows with their length")
    func longLists() throws {
        let words = JSONValue.array((0..<5_000).map { .string("word \($0)") })
        let program = try ConstraintProgram(schema: ["enum": words, "allOf": [["enum": words]]])
        #expect(program.accepts("word 4999"))
        #expect(!program.accepts("word 5000"))
    }

    @Test("A name that looks like the paths of other schemas does not make it one of them")
    func namesLikePaths() throws {
        let program = try ConstraintProgram(schema: [
            "allOf": [
                [
                    "properties": [
                        "x": ["type": "integer"],
                        "x\n#": ["allOf": [true, ["properties": ["x": ["type": "null"]]]]],
                    ]
                ],
                ["properties": ["x": ["minimum": 5]]],
            ]
        ])
        #expect(program.accepts(["x": 7, "x\n#": ["x": nil]]))
        #expect(!program.accepts(["x": nil]))
        #expect(!program.accepts(["x\n#": ["x": 7]]))
    }

    @Test("Names of properties may hold any character")
    func names() throws {
        for name in ["\"", "\\", "\u{0}\n\u{1F}", "/", "~", "~!", "~1", "#", "%", "e\u{301}", "é", "", "\u{10FFFF}"] {
            let schema: JSONValue = [
                "properties": .object([name: ["type": "integer"]]), "required": [.string(name)],
                "additionalProperties": false, "not": ["properties": .object([name: ["const": 2]])],
            ]
            let program = try ConstraintProgram(schema: schema)
            #expect(program.accepts(.object([name: 1])), "\(name)")
            #expect(!program.accepts(.object([name: 2])), "\(name)")
            #expect(!program.accepts(.object([name + "x": 1])), "\(name)")
            #expect(!program.accepts([:]), "\(name)")
        }
    }

    @Test("The depth of replies is limited, and schemas that require more are refused")
    func depth() throws {
        let program = try ConstraintProgram(
            schema: ["type": "array", "items": ["$ref": "#"]], limits: ConstraintLimits(valueDepth: 4))
        #expect(program.accepts([[[[]]]]))
        #expect(!program.accepts([[[[[]]]]]))
        #expect(throws: ConstraintError.self) {
            try ConstraintProgram(schema: nested(5).replacing(type: "array"), limits: ConstraintLimits(valueDepth: 4))
        }
    }

    @Test("Random schemas give a program or an error")
    func randomSchemas() {
        var random = SplitMix64(seed: 1)
        var programs = 0
        for _ in 0..<2_000 {
            let schema = Self.randomSchema(depth: 3, &random)
            guard let program = try? ConstraintProgram(schema: schema) else { continue }
            programs += 1
            _ = program.accepts(Self.randomValue(depth: 3, &random))
        }
        #expect(programs > 200)
    }

    private static func randomValue(depth: Int, _ random: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return nil
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: -20...20, using: &random))
        case 3: return .number(.random(in: -2...2, using: &random))
        case 4: return .string(["", "a", "ab", "é\n", "#"].randomElement(using: &random) ?? "")
        case 5: return .integer(.random(in: .min ... .max, using: &random))
        case 6: return .array((0..<3).map { _ in randomValue(depth: depth - 1, &random) })
        default: return ["a": randomValue(depth: depth - 1, &random), "b": randomValue(depth: depth - 1, &random)]
        }
    }

    /// A schema with a few random keywords, most of them with valid values.
    private static func randomSchema(depth: Int, _ random: inout SplitMix64) -> JSONValue {
        guard depth > 0, Int.random(in: 0..<12, using: &random) > 0 else { return .bool(.random(using: &random)) }
        var schema: JSONValue = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let sub = { (random: inout SplitMix64) in randomSchema(depth: depth - 1, &random) }
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1, 2:
                let types = ["null", "boolean", "integer", "number", "string", "array", "object"]
                schema["type"] = .string(types.randomElement(using: &random) ?? "")
            case 3: schema["properties"] = ["a": sub(&random), "b": sub(&random)]
            case 4: schema["required"] = ["b"]
            case 5: schema["additionalProperties"] = sub(&random)
            case 6: schema["items"] = sub(&random)
            case 7: schema["prefixItems"] = [sub(&random)]
            case 8:
                schema[
                    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"].randomElement(
                        using: &random) ?? ""] = .integer(.random(in: 0...3, using: &random))
            case 9:
                schema[["minimum", "maximum", "exclusiveMinimum"].randomElement(using: &random) ?? ""] = randomValue(
                    depth: 0, &random)
            case 10:
                schema["pattern"] = .string(
                    ["^a", "b$", "(a|b)*", "[^a]+", "a{2,5}", "(", "é"].randomElement(using: &random) ?? "")
            case 11: schema["enum"] = [randomValue(depth: 1, &random), randomValue(depth: 1, &random)]
            case 12:
                schema[["anyOf", "oneOf", "allOf"].randomElement(using: &random) ?? ""] = [sub(&random), sub(&random)]
            case 13:
                schema["$ref"] = .string(
                    ["#", "#/properties/a", "#/items", "#/anyOf/0", "#x"].randomElement(using: &random) ?? "")
            case 14:
                schema["format"] = .string(["date", "uuid", "ipv4", "nonsense"].randomElement(using: &random) ?? "")
            default: schema["const"] = randomValue(depth: 2, &random)
            }
        }
        return schema
    }
}

extension JSONValue {
    /// The same schema with a type at every level that has items, and one element at least.
    fileprivate func replacing(type: String) -> JSONValue {
        guard let items = self["items"] else { return self }
        return ["type": .string(type), "minItems": 1, "items": items.replacing(type: type)]
    }
}
