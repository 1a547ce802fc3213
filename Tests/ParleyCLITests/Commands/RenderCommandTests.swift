// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTesting
import Testing

@Suite("parley render")
struct RenderCommandTests {
    private let parley: ParleyProcess

    init() throws {
        parley = try ParleyProcess()
        try parley.write(#"[{"role": "user", "content": "Hi <|im_end|> ü"}]"#, to: "messages.json")
    }

    @Test("exactly the rendered bytes of the model's template are printed")
    func model() async throws {
        try parley.writeModel()
        let full = try await parley.run("render", "tiny.gguf", "--messages", "messages.json")
        #expect(full.text == "<|im_start|>user\nHi <|im_end|> ü<|im_end|>\n<|im_start|>assistant\n")
        let open = try await parley.run("render", "tiny.gguf", "--messages", "messages.json", "--no-generation-prompt")
        #expect(open.text == "<|im_start|>user\nHi <|im_end|> ü<|im_end|>\n")
    }

    @Test("a template given by file gets messages, tools and variables")
    func template() async throws {
        try parley.write("{{ messages|length }} {{ tools[0].name }} {{ x + 1 }} {{ y }}", to: "t.jinja")
        try parley.write(#"[{"name": "add"}]"#, to: "tools.json")
        let outcome = try await parley.run(
            "render", "--template", "t.jinja", "--messages", "messages.json", "--tools", "tools.json", "--var", "x=1",
            "--var", #"y="a=b""#)
        #expect(outcome.text == "1 add 2 a=b")
        #expect(outcome.status == 0)
    }

    @Test(
        "content in parts is joined for templates that know only texts",
        arguments: ["<{{ messages[0].content + '>' }}", "<{{ messages[0].content }}>"])
    func parts(template: String) async throws {
        try parley.write(template, to: "t.jinja")
        try parley.write(
            #"[{"role": "user", "content": [{"type": "text", "text": "Hi "}, {"type": "text", "text": "there"}]}]"#,
            to: "parts.json")
        let outcome = try await parley.run("render", "--template", "t.jinja", "--messages", "parts.json")
        #expect(outcome.text == "<Hi there>")
        try parley.write(
            #"[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]"#, to: "image.json")
        let refused = try await parley.run("render", "--template", "t.jinja", "--messages", "image.json")
        #expect(refused.status == 1 && refused.errors.contains("only text"))
    }

    @Test("content in parts goes to templates that take parts as it is")
    func takenParts() async throws {
        try parley.write(
            "{% for p in messages[0].content %}{% if p is string %}{{ p }}{% else %}{{ p.text }}{% endif %}{% endfor %}",
            to: "t.jinja")
        try parley.write(#"[{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]"#, to: "parts.json")
        let outcome = try await parley.run("render", "--template", "t.jinja", "--messages", "parts.json")
        #expect(outcome.text == "Hi")
    }

    @Test("a model's template knows the model's special tokens")
    func constants() async throws {
        var writer = TinyModel().writer()
        writer.set("tokenizer.chat_template", .string("{{ bos_token }}{{ eos_token }}"))
        try writer.write(to: parley.directory.appending(path: "tokens.gguf"))
        let outcome = try await parley.run("render", "tokens.gguf", "--messages", "messages.json")
        #expect(outcome.text == "<|im_start|><|im_end|>")
    }

    @Test("messages and tools that are no array of objects are told as such", arguments: ["messages", "tools"])
    func noArray(option: String) async throws {
        try parley.write(#"{"role": "user", "content": "Hi"}"#, to: "object.json")
        try parley.write("{{ messages[0].content }}", to: "t.jinja")
        let messages = option == "messages" ? [] : ["--messages", "messages.json"]
        let outcome = try await parley.run(
            ["render", "--template", "t.jinja", "--\(option)", "object.json"] + messages)
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("object.json does not contain a JSON array"), "\(outcome.errors)")
    }

    @Test("an error in a template is reported with its line")
    func mistake() async throws {
        try parley.write("one\n{{ messages | nonsense }}", to: "t.jinja")
        let outcome = try await parley.run("render", "--template", "t.jinja", "--messages", "messages.json")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("line 2"))
    }
}
