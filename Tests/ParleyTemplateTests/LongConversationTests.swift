// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import ParleyTestSupport
import Testing

@Suite struct LongConversationTests {
    /// A conversation that every template understands: turns alternate and have text alone.
    static func conversation(messages: Int, size: Int, tools: Int = 0) -> JSONObject {
        let text = String(repeating: "größer 猫 😀 <|im_end|> plain words\n", count: size / 44 + 1)
        var context: JSONObject = [
            "messages": .array(
                (0..<messages).map { ["role": $0 % 2 == 0 ? "user" : "assistant", "content": .string(text)] }),
            "add_generation_prompt": true,
        ]
        guard tools > 0 else { return context }
        let properties: [(String, JSONValue)] = (0..<30).map {
            ("parameter_\($0)", ["type": "string", "description": "What it is for, at length.", "enum": ["a", "b"]])
        }
        let parameters: JSONValue = [
            "type": "object", "required": ["parameter_0"],
            "properties": .object(JSONObject(uniqueKeysWithValues: properties)),
        ]
        context["tools"] = .array(
            (0..<tools).map { index in
                [
                    "type": "function",
                    "function": [
                        "name": .string("tool_\(index)"), "description": "Does a thing.", "parameters": parameters,
                    ],
                ]
            })
        return context
    }

    static let contexts: [(String, JSONObject)] = [
        ("50 messages of 100 KB", conversation(messages: 51, size: 100_000)),
        ("400 messages", conversation(messages: 401, size: 1000)),
        ("100 tools", conversation(messages: 3, size: 100, tools: 100)),
        ("10 MB in a message", conversation(messages: 1, size: 10_000_000)),
    ]

    @Test(
        "Templates of real models render long conversations within their limits",
        .enabled(if: References.hasTemplates, References.hint), arguments: contexts.indices)
    func realTemplates(index: Int) throws {
        let inputs = try References.json(References.goldens.appending(path: "conversations.json"))
        let (name, context) = Self.contexts[index]
        let files = try FileManager.default.contentsOfDirectory(atPath: References.templates.path).sorted()
        let limits: [TemplateError.Code] = [.tooManySteps, .valueTooLarge, .outputTooLong, .tooDeep]
        var rendered = 0
        for file in files where file.hasSuffix(".jinja") {
            let source = try String(contentsOf: References.templates.appending(path: file), encoding: .utf8)
            let full = context.merging(inputs["constants"]?.object ?? [:]) { first, _ in first }
            let measured = Measurement(source, full)
            #expect(!limits.contains { $0 == measured.code }, "\(file), \(name): \(String(describing: measured.code))")
            #expect(measured.mostBytes < Measurement.allowedBytes(full), "\(file), \(name): \(measured.mostBytes)")
            if measured.code == nil { rendered += 1 }
        }
        #expect(rendered > 30)
    }

    @Test("A long conversation needs no reference to be rendered within the limits", arguments: contexts.indices)
    func builtIn(index: Int) {
        let source = """
            {{ tools|tojson(indent=2) if tools }}{% for message in messages %}<|im_start|>{{ message.role }}
            {{ message['content']|trim }}<|im_end|>
            {% endfor %}{% if add_generation_prompt %}<|im_start|>assistant{% endif %}
            """
        let context = Self.contexts[index].1
        let measured = Measurement(source, context)
        #expect(measured.code == nil)
        #expect(measured.mostBytes < Measurement.allowedBytes(context))
    }
}
