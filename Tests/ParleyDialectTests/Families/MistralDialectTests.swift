// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import Testing

@Suite("Mistral dialect")
struct MistralDialectTests {
    @Test(
        "Every form of a call is read",
        arguments: [
            #"[{"name": "f", "arguments": {"a": "[ARGS]", "b": null}}]"#,
            #" [{"name": "f", "arguments": {"a": "[ARGS]", "b": null}}] "#,
            #"f[ARGS]{"a": "[ARGS]", "b": null}"#, " f [ARGS] {\"a\": \"[ARGS]\",\n\"b\": null}\n",
            #"f{"a": "[ARGS]", "b": null}"#, #"{"name": "f", "arguments": {"a": "[ARGS]", "b": null}}"#,
        ])
    func forms(text: String) throws {
        for parser in [MistralDialect.list, .named] {
            #expect(try parser.parse(text) == [ParsedFunctionCall(name: "f", arguments: ["a": "[ARGS]", "b": .null])])
        }
    }

    @Test("Several calls keep their order")
    func several() throws {
        let text = #"f[ARGS]{"a": "[TOOL_CALLS]"}[TOOL_CALLS]g[ARGS]{}[TOOL_CALLS]f{}"#
        #expect(try MistralDialect.named.parse(text).map(\.name) == ["f", "g", "f"])
    }

    @Test("Ids are used if this family's templates write them")
    func ids() throws {
        for (id, expected) in [("aB3dE5gH7", "aB3dE5gH7"), ("mine", nil), ("aB3dE5gH78", nil), ("aB3-E5gH7", nil)] {
            #expect(try MistralDialect.named.parse("f[CALL_ID]\(id)[ARGS]{}").first?.id == expected)
            #expect(
                try MistralDialect.list.parse(#"[{"name": "f", "arguments": {}, "id": "\#(id)"}]"#).first?.id
                    == expected)
        }
    }

    @Test(
        "Text that is not a call is an error",
        arguments: [
            ("", FunctionCallRejection.Reason.empty), ("[]", .empty), ("f", .cut), ("f[ARGS]", .cut),
            ("f[ARGS]{", .cut), ("f[ARGS]{}[TOOL_CALLS]", .cut), ("f[ARGS]{} and more", .malformed),
            ("f[ARGS][]", .malformed),
            ("[ARGS]{}", .malformed), ("!", .missingName), (#"[{"arguments": {}}]"#, .missingName),
            (String(repeating: "f{}[TOOL_CALLS]", count: 129) + "f{}", .tooMany),
        ])
    func errors(text: String, reason: FunctionCallRejection.Reason) {
        do throws(FunctionCallSyntaxError) {
            let calls = try MistralDialect.named.parse(text)
            Issue.record("\(calls)")
        } catch {
            #expect(error.reason == reason, "\(text): \(error)")
        }
    }
}
