// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Grammars")
struct GrammarTests {
    static let functions = [
        CallableFunction(
            name: "weather",
            parameters: [
                "type": "object", "required": ["city"], "additionalProperties": false,
                "properties": [
                    "city": ["type": "string"], "days": ["type": "integer", "minimum": 1],
                    "metric": ["type": "boolean"],
                ],
            ]),
        CallableFunction(
            name: "time", parameters: ["type": "object", "properties": [:], "additionalProperties": false]),
    ]

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

    @Test("What may be empty is not repeated")
    func emptyRepetition() {
        for part in [Grammar.optional(.literal("a")), .pattern("a*"), .literal("")] {
            let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(.repetition(part)) }
            #expect(error?.code == .invalidGrammar)
        }
    }

    @Test(
        "Hermes calls name a function and give it its arguments",
        arguments: [
            (#"{"name": "weather", "arguments": {"city": "Paris"}}"#, true), (#"{"name":"time","arguments":{}}"#, true),
            ("{\n  \"name\": \"weather\",\n  \"arguments\": {\"city\": \"x\", \"days\": 3}\n}", true),
            (#"{"name": "weather", "arguments": {}}"#, false),
            (#"{"name": "time", "arguments": {"city": "Paris"}}"#, false),
            (#"{"name": "other", "arguments": {}}"#, false), (#"{"arguments": {}, "name": "time"}"#, false),
        ])
    func hermes(_ text: String, _ isCall: Bool) throws {
        #expect(try ConstraintProgram(.jsonCall(Self.functions)).accepts(text.utf8) == isCall)
        let llama = text.replacing("arguments", with: "parameters")
        #expect(
            try ConstraintProgram(.jsonCall(Self.functions, argumentsKey: "parameters")).accepts(llama.utf8) == isCall)
    }

    @Test(
        "Pythonic calls name functions and give them keyword arguments",
        arguments: [
            (#"[weather(city="Paris")]"#, true), (#"[weather(city="a\"b", days=3, metric=True), time()]"#, true),
            ("[time(),time()]", true),
            ("[]", false), ("[weather()]", false), (#"[weather(days=3)]"#, false),
            (#"[weather(city="x", metric=true)]"#, false), ("[time(city=\"x\")]", false),
        ])
    func pythonic(_ text: String, _ isCall: Bool) throws {
        #expect(try ConstraintProgram(.pythonicCalls(Self.functions)).accepts(text.utf8) == isCall)
    }
}
