// SPDX-License-Identifier: Apache-2.0

import Parley
import ParleyConstraint
import ParleyJSON
import Testing

@Suite("The rules of a guide")
struct GenerationRuleTests {
    private static let valid: JSONValue = [
        "stars": 3, "weight": 0.5, "small": 10, "code": "AB", "word": "abc", "colours": ["red"], "power": 4,
        "digits": ["x": 9], "gaps": [1, nil],
    ]

    @Test("A value within the rules is accepted")
    func accepts() throws {
        #expect(try ConstraintProgram(schema: Guided.jsonSchema.value).accepts(Self.valid))
    }

    @Test(
        "A value that breaks a rule is refused",
        arguments: [
            ("stars", 0), ("stars", 6), ("weight", 0.25), ("small", 11), ("small", -1), ("code", "ab"), ("code", "ABC"),
            ("word", "a"), ("word", "abcde"), ("colours", []), ("colours", ["blue"]),
            ("colours", ["red", "red", "red"]),
            ("power", 3), ("digits", ["x": 10]), ("digits", ["x": 1, "y": 2]), ("gaps", [3]),
        ] as [(String, JSONValue)])
    func refuses(name: String, value: JSONValue) throws {
        var json = Self.valid
        json[name] = value
        #expect(try !ConstraintProgram(schema: Guided.jsonSchema.value).accepts(json))
    }

    @Test("The range of the type remains a bound")
    func narrowing() {
        #expect(Guided.jsonSchema.value["properties"]?["small"] == ["type": "integer", "minimum": 0, "maximum": 10])
    }
}
