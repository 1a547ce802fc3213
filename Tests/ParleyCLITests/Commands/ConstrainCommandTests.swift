// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley constrain and --schema")
struct ConstrainCommandTests {
    private let schema = #"{"type": "object", "properties": {"open": {"type": "boolean"}}, "required": ["open"]}"#

    @Test("it prints for each value whether the schema accepts it")
    func check() async throws {
        let parley = try ParleyProcess()
        try parley.write(schema, to: "schema.json")
        try parley.write(#"[{"open": true}, {}, {"open": 1}, {"open": false, "x": null}, 3]"#, to: "values.json")
        let outcome = try await parley.run("constrain", "--schema", "schema.json", "--check", "values.json")
        #expect(outcome.status == 0)
        #expect(outcome.text == "[true,false,false,true,false]\n")
    }

    @Test("a schema that cannot be enforced is refused with the keyword at fault")
    func refusal() async throws {
        let parley = try ParleyProcess()
        try parley.write(#"{"not": {}}"#, to: "schema.json")
        try parley.write("[]", to: "values.json")
        let outcome = try await parley.run("constrain", "--schema", "schema.json", "--check", "values.json")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("not"))
    }

    @Test("standard input is called the input where it is wrong", arguments: ["{}", "[1"])
    func wrongInput(values: String) async throws {
        let parley = try ParleyProcess()
        try parley.write(schema, to: "schema.json")
        let outcome = try await parley.run("constrain", "--schema", "schema.json", "--check", "-", input: values)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("parley: The input "), "\(outcome.errors)")
    }

    @Test("a value of which it takes too much work to tell is an error, not false")
    func tooMuchWork() async throws {
        let lists = { (items: JSONValue) -> JSONValue in
            .array((1...200).map { ["type": "array", "items": items, "maxItems": .integer($0)] })
        }
        let schema: JSONValue = [
            "anyOf": lists(["$ref": "#/$defs/b"]), "$defs": ["b": ["anyOf": lists(["type": "null"])]],
        ]
        let parley = try ParleyProcess()
        try parley.write(schema.text(), to: "schema.json")
        try parley.write("[1, [[null]]]", to: "values.json")
        let outcome = try await parley.run("constrain", "--schema", "schema.json", "--check", "values.json")
        #expect(outcome.status == 1)
        #expect(outcome.text.isEmpty)
        #expect(outcome.errors.contains("Value 2"))
    }

    @Test("with --schema the answer is valid JSON for the schema")
    func constrainedAnswer() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        try parley.write(
            #"{"type": "object", "properties": {"open": {"type": "boolean"}}, "required": ["open"], "additionalProperties": false}"#,
            to: "schema.json")
        let outcome = try await parley.run("run", "tiny.gguf", "hi", "--schema", "schema.json", "--context", "1024")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try JSONValue(parsing: outcome.text)["open"]?.bool != nil)
    }

    @Test(
        "an answer with --schema that was cut off is printed and reported as incomplete",
        arguments: [["--max-tokens", "2"], ["--stop", "e"]])
    func incompleteAnswer(cut: [String]) async throws {
        let parley = try ParleyProcess()
        var model = TinyModel()
        model.context = 1_024
        try parley.writeModel(model)
        try parley.write(
            #"{"type": "object", "properties": {"open": {"type": "boolean"}}, "required": ["open"], "additionalProperties": false}"#,
            to: "schema.json")
        let command = ["run", "tiny.gguf", "hi", "--schema", "schema.json", "--context", "1024"] + cut
        let plain = try await parley.run(command)
        #expect(plain.status == 3)
        #expect(plain.text.hasPrefix("{"))
        #expect(plain.errorLines.count == 1)
        #expect(plain.errors.contains("incomplete") && plain.errors.contains(cut[0]))
        let json = try await parley.run(command + ["--json"])
        #expect(json.status == 3)
        #expect(try JSONValue(parsing: json.text)["text"]?.string?.hasPrefix("{") == true)
    }
}
