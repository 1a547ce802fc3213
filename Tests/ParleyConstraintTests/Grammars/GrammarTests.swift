// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Grammars")
struct GrammarTests {
    @Test("Texts, choices, sequences, options and repetitions compose")
    func composition() throws {
        let program = try ConstraintProgram(
            .sequence([
                .literal("a"), .optional(.literal("b")), .choice([.literal("c"), .literal("cd")]),
                .repetition(.pattern("[0-9]"), separator: .literal("-"), minimum: 2, maximum: 3),
                .repetition(.literal("!")),
            ]))
        for text in ["ac1-2", "abcd1-2-3", "ac0-0!!!"] { #expect(program.accepts(text.utf8), "\(text)") }
        for text in ["a", "ac1", "ac1-2-3-4", "ac1-", "ac1--2", "abbc1-2"] {
            #expect(!program.accepts(text.utf8), "\(text)")
        }
    }

    @Test("A part that may be empty cannot be repeated")
    func emptyRepetition() {
        for part in [Grammar.optional(.literal("a")), .pattern("a*"), .literal("")] {
            let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(.repetition(part)) }
            #expect(error?.code == .invalidGrammar)
        }
    }

    private static let arguments: JSONValue = [
        "type": "object", "required": ["city"],
        "properties": [
            "city": ["type": "string"], "days": ["type": "integer", "minimum": 1], "metric": ["type": "boolean"],
            "place": ["type": "object", "properties": ["a": ["type": ["null", "boolean"]]]],
            "fixed": ["const": ["a": [true, ["b": nil]]]],
        ],
    ]

    @Test(
        "Keyword arguments stand in parentheses, and what is inside them is written as Python has it",
        arguments: [
            (#"(city="Paris")"#, true), (#"(city="a\"b", days=3, metric=True)"#, true), ("(\n  city=\"x\")", true),
            (#"(city="x", place={"a": None})"#, true), (#"(city="x", place={})"#, true),
            (#"(city="x", fixed={"a": [True, {"b": None}]})"#, true),
            ("()", false), ("(days=3)", false), (#"(city="x", metric=true)"#, false), (#"(city="x", other=1)"#, false),
            (#"(city="x", place=(a=None))"#, false), (#"(city="x", place={"a": null})"#, false),
            (#"(city="x", place={"b": 1})"#, false), (#"(city = "x")"#, false), (#"(**{"city": "x"})"#, false),
        ])
    func keywordArguments(_ text: String, _ isAllowed: Bool) throws {
        #expect(try ConstraintProgram(.keywordArguments(Self.arguments)).accepts(text.utf8) == isAllowed)
    }

    @Test(
        "Arguments whose names are not Python names are written in a dictionary",
        arguments: ["user id", "2fa", "$filter", "", "a\"b", "-x", "a=b", "x(", "\\"])
    func oddNames(_ name: String) throws {
        let schema: JSONValue = [
            "type": "object", "properties": [name: ["type": "boolean"], "b": ["type": "null"]],
            "required": [.string(name)],
        ]
        let program = try ConstraintProgram(.keywordArguments(schema))
        let key = JSONValue.string(name).text()
        #expect(program.accepts("(**{\(key): True, \"b\": None})".utf8))
        #expect(program.accepts("(**{\(key):False})".utf8))
        #expect(!program.accepts("(\(name)=True)".utf8))
        #expect(!program.accepts("(**{\(key): true})".utf8))
    }

    @Test("Arguments of any name are written in a dictionary, and no arguments as empty parentheses")
    func openArguments() throws {
        let open = try ConstraintProgram(.keywordArguments(["additionalProperties": ["type": "integer"]]))
        #expect(open.accepts(#"(**{"any name": 1, "a": 2})"#.utf8))
        #expect(open.accepts("(**{})".utf8))
        for closed: JSONValue in [[:], ["type": "object"], ["additionalProperties": false]] {
            let program = try ConstraintProgram(.keywordArguments(closed))
            #expect(program.accepts("()".utf8))
            #expect(!program.accepts("(**{})".utf8))
        }
    }
}
