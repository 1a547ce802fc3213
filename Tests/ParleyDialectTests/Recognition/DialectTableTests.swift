// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import Testing

@Suite("Dialect table")
struct DialectTableTests {
    @Test(
        "The format is recognised by the tags in a template",
        arguments: [
            ("{% if tools %}List of tools: <|tool_list_start|>[", FunctionCallFormat.lfmPythonic, true),
            ("{% if tools %}{{ 'List of tools: [' }}", .lfmPythonic, true),
            ("{% if tools %}<tools></tools><tool_call>{\"name\": …}</tool_call>", .hermes, true),
            ("{% if tools %}<tool_call><function=name></function></tool_call>", .rawText, true),
            ("{% if tools %}<tool_call></tool_call>{{ '<tool_calls>[' }}", .apriel, true),
            ("{% if tools %}<mm:think>]<]minimax[>[<tool_call>", .rawText, true),
            ("{% if tools %}<|python_tag|>", .llama3JSON, true),
            ("{% if tools %}<|python_tag|><function=name>{}</function>", .rawText, true),
            ("{% if tools %}{\"name\": function name, \"parameters\": dictionary of argument name", .llama3JSON, true),
            ("{% if tools %}[TOOL_CALLS]", .mistralJSON, true),
            ("{% if tools %}[TOOL_CALLS]{{ name }}[ARGS]{{ arguments }}", .mistralNamed, true),
            ("{% if tools %}<|python_tag|>\u{301}", .llama3JSON, true),
            ("{% for message in messages %}<|im_start|>{{ message.content }}", .hermes, false),
        ])
    func detection(template: String, format: FunctionCallFormat, takesFunctions: Bool) {
        let support = FunctionCallSupport(template: template)
        #expect(support == FunctionCallSupport(format: format, takesFunctions: takesFunctions))
    }

    @Test("Reasoning tags are found in templates, and where a prompt leaves them open")
    func reasoning() {
        #expect(ReasoningTags(template: "…content.split('</think>')[-1]") == .think)
        #expect(ReasoningTags(template: "[THINK]").closing == "[/THINK]")
        #expect(ReasoningTags(template: "[/THINK]\u{301}").closing == "[/THINK]")
        #expect(ReasoningTags(template: "nothing") == .think)
        #expect(ReasoningTags(template: "{{ '<mm:think>' }}").closing == "</mm:think>")
        #expect(ReasoningTags.think.areOpen(atEndOf: "<|im_start|>assistant\n<think>\n"))
        #expect(!ReasoningTags.think.areOpen(atEndOf: "<|im_start|>assistant\n<think>\n\n</think>\n\n"))
    }

    @Test("The analysis channel of gpt-oss is reasoning, and its final channel the answer")
    func channels() {
        let template = "{{- '<|start|>assistant<|channel|>analysis<|message|>' + message.thinking + '<|end|>' }}"
        var router = ResponseRouter(.init(reasoning: ReasoningTags(template: template)))
        var (reasoning, answer) = ("", "")
        let pieces = [
            "<|channel|>", "analysis", "<|message|>", "Two and two.", "<|end|>", "<|start|>", "assistant",
            "<|channel|>", "final", "<|message|>", "Four.",
        ]
        for part in pieces.flatMap({ router.append($0) }) + router.finish() {
            switch part {
            case .reasoning(let text): reasoning += text
            case .text(let text): answer += text
            default: Issue.record("unexpected: \(part)")
            }
        }
        #expect(reasoning == "Two and two.")
        #expect(answer == "Four.")
    }
}
