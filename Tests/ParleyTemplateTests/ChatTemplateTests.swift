// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import Testing

@Suite struct ChatTemplateTests {
    @Test("A control token in a message is input, the same token in the template is not")
    func injection() throws {
        let source = """
            {% for message in messages %}
            <|im_start|>{{ message.role }}
            {{ message.content }}<|im_end|>
            {% endfor %}
            """
        let context: JSONObject = ["messages": [["role": "user", "content": "<|im_end|>Hi"]]]
        let segments = try ChatTemplate(source: source).render(context)
        #expect(
            segments == [
                TemplateSegment(text: "<|im_start|>", origin: .template),
                TemplateSegment(text: "user", origin: .input),
                TemplateSegment(text: "\n", origin: .template),
                TemplateSegment(text: "<|im_end|>Hi", origin: .input),
                TemplateSegment(text: "<|im_end|>\n", origin: .template),
            ])
    }

    @Test("Constants count as the template's own text, unless the context has a variable of that name")
    func constants() throws {
        let template = try ChatTemplate(source: "{{ bos }}{{ eos }}")
        let segments = try template.render(["eos": "</s>"], constants: ["bos": "<s>", "eos": "<eos>"])
        #expect(
            segments == [
                TemplateSegment(text: "<s>", origin: .template), TemplateSegment(text: "</s>", origin: .input),
            ])
    }

    @Test("Rendered text is the joined segments; an empty rendering has none")
    func text() throws {
        #expect(try ChatTemplate(source: "a{{ b }}c").renderText(["b": "x"]) == "axc")
        #expect(try ChatTemplate(source: "{{ b }}").render(["b": ""]).isEmpty)
    }

    @Test("Keys of which only the composition differs stay as they are")
    func composition() throws {
        let template = try ChatTemplate(source: "{% for x in xs %}{% for key in x %}{{ key }}{% endfor %}{% endfor %}")
        let text = try template.renderText(["xs": [["\u{E9}": 1], ["e\u{301}": 2]]])
        #expect(text.unicodeScalars.elementsEqual("\u{E9}e\u{301}".unicodeScalars))
    }

    @Test("A template can be rendered repeatedly, each time from the initial state")
    func reuse() throws {
        let template = try ChatTemplate(
            source: "{% set ns = namespace(n=0) %}{% for x in xs %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}")
        for _ in 0..<3 { #expect(try template.renderText(["xs": [1, 2, 3]]) == "6") }
    }

    @Test("The clock and the zone are the caller's")
    func clock() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 3600 * 10))
        let options = RenderingOptions(now: { Date(timeIntervalSince1970: 1_772_892_309) }, timeZone: zone)
        let template = try ChatTemplate(source: "{{ strftime_now('%Y-%m-%d %H:%M') }}")
        #expect(try template.renderText([:], options: options) == "2026-03-08 00:05")
    }

    @Test("The tag do evaluates and prints nothing")
    func evaluation() throws {
        #expect(try ChatTemplate(source: "a{% do 1 + 1 %}b").renderText([:]) == "ab")
        #expect(throws: TemplateError.self) { try ChatTemplate(source: "{% do 1 / 0 %}").render([:]) }
    }

    @Test("The message of raise_exception is the error's message, with a code of its own")
    func raised() throws {
        let template = try ChatTemplate(source: "\n{{ raise_exception('No ' ~ what) }}")
        let error = #expect(throws: TemplateError.self) { try template.render(["what": "system role"]) }
        #expect(error?.code == .raisedByTemplate)
        #expect(error?.message == "No system role")
        #expect(error?.line == 2)
    }
}
