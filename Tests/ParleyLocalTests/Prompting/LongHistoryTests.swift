// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTokenizer
import Testing

/// Ten times as many messages may take about ten times as long; with quadratic cost it would be a hundred times.
@Suite("Long histories", .serialized)
struct LongHistoryTests {
    /// A template that refuses adjacent messages of one role.
    private static let alternating = """
        {%- for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor -%}
        {# <think> </think> #}
        """

    private static let histories: [(String, @Sendable (Int) -> [ChatMessage])] = [
        (
            "replies that are replayed with their tags",
            { count in
                (0..<count / 2).flatMap { number -> [ChatMessage] in
                    let reply = ChatMessage(
                        role: .assistant, content: [.text("four \(number)")], reasoningContent: "two \(number)",
                        rawOutput: "<think>two \(number)</think>four \(number)")
                    return [.user("<think> \(number)</think>?"), reply]
                }
            }
        ),
        ("neighbours of one role", { count in (0..<count).map { .user("message \($0)") } }),
        (
            "results of functions",
            { count in
                (0..<count).map {
                    ChatMessage(role: .tool, content: [.text("result \($0)")], functionCallID: "call\($0)")
                }
            }
        ),
    ]

    @Test("The time to make a prompt is proportional to its length", arguments: histories.indices)
    func linear(index: Int) throws {
        let renderer = try PromptRenderer(Self.alternating, tokenizer: ScriptedRunners.reasoningTokenizer())
        let history = Self.histories[index].1
        var times: [Double] = []
        for count in [2_000, 20_000] {
            let messages = history(count)
            func render() throws { _ = try renderer.render(messages, functions: [], options: GenerationOptions()) }
            try render()
            times.append(try processorSeconds(render))
        }
        #expect(times[1] < 40 * times[0], "\(Self.histories[index].0): \(times)")
    }

    @Test("Tags are kept in every reply of a long history, also in replies that the template assembles")
    func everyReply() throws {
        let tokenizer = try ScriptedRunners.reasoningTokenizer()
        let tag = try #require(tokenizer.id(ofSpelling: "<think>"))
        for template in [
            "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{# <think> </think> #}",
            "{% for m in messages %}{{ m.content }}{% endfor %}{# <think> </think> #}",
            "{% for m in messages[-4:] %}{{ m.content }}{% endfor %}{# <think> </think> #}",
        ] {
            let renderer = try PromptRenderer(template, tokenizer: tokenizer)
            let messages = Self.histories[0].1(600)
            let prompt = try renderer.render(messages, functions: [], options: GenerationOptions())
            #expect(prompt.input.tokens.count { $0 == tag } == (template.contains("[-4:]") ? 2 : 300))
        }
    }
}
