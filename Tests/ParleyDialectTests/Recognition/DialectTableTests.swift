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
            ("{% if tools %}<tool_call>\n<function=name>\n<parameter=a>\n1\n</parameter>", .qwenCoder, true),
            ("{% if tools %}{{- 'functions.' + name + '<|channel|>commentary ' }}", .harmony, true),
            ("{% if tools %}{{- '<|tool_call>call:' + function['name'] + '{' -}}", .gemma, true),
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
        #expect(ReasoningTags(template: "<think></think><tool_response></tool_response>") == .think)
        #expect(ReasoningTags(template: "[THINK]").closing == "[/THINK]")
        #expect(ReasoningTags(template: "[/THINK]\u{301}").closing == "[/THINK]")
        #expect(ReasoningTags(template: "nothing") == .think)
        #expect(ReasoningTags(template: "{{ '<|assistant|>' + message.content + '<|end|>' }}") == .think)
        #expect(ReasoningTags(template: "{{ '<mm:think>' }}").closing == "</mm:think>")
        #expect(ReasoningTags.think.areOpen(atEndOf: "<|im_start|>assistant\n<think>\n"))
        #expect(!ReasoningTags.think.areOpen(atEndOf: "<|im_start|>assistant\n<think>\n\n</think>\n\n"))
    }

    @Test(
        "Reasoning that is marked by more than a pair of tags is told from the answer",
        arguments: [
            // gpt-oss, in channels.
            (
                "{{- '<|start|>assistant<|channel|>analysis<|message|>' + message.thinking + '<|end|>' }}",
                [
                    "<|channel|>", "analysis", "<|message|>", "Two and two.", "<|end|>", "<|start|>", "assistant",
                    "<|channel|>", "final", "<|message|>", "Four.",
                ]
            ),
            // Gemma 4, in a channel.
            (
                #"{{- '<|channel>thought\n' + thinking_text + '\n<channel|>' -}}"#,
                ["<|channel>", "thought", "\n", "Two and two.", "\n", "<channel|>", "Four."]
            ),
            // Granite 3.3, whose answer has tags as well.
            (
                "Write between <think></think> and write your response between <response></response>",
                ["<think>", "Two and two.", "</think>", "\n", "<response>", "Four.", "</response>"]
            ),
            // Apriel, in words.
            (
                #"{# <thinking> #}{{ 'Here are my reasoning steps:\n' }}{{ '\n[BEGIN FINAL RESPONSE]\n' }}"#,
                [
                    "Here are my", " reasoning steps:\n", "Two and two.", "\n[BEGIN", " FINAL RESPONSE", "]\n", "Four.",
                    "[END FINAL", " RESPONSE]", "\n",
                ]
            ),
        ])
    func sections(template: String, pieces: [String]) {
        var router = ResponseRouter(.init(reasoning: ReasoningTags(template: template)))
        var (reasoning, answer) = ("", "")
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

    @Test("Where a prompt ends with the opening of reasoning, the reply begins inside it")
    func opening() {
        let apriel = ReasoningTags(template: "{{ '<|begin_assistant|>\\n' + 'Here are my reasoning steps:\\n' }}")
        #expect(apriel.areOpen(atEndOf: "<|begin_assistant|>\nHere are my reasoning steps:\n"))
        let gemma = ReasoningTags(template: "{{- '<|channel>thought\\n<channel|>' -}}")
        #expect(!gemma.areOpen(atEndOf: "<|turn>model\n<|channel>thought\n<channel|>"))
        // A template that only mentions the marker leaves its model to the tags that it opens.
        let mixed = ReasoningTags(template: "between <thinking> and </thinking>; [BEGIN FINAL RESPONSE]")
        #expect(mixed.closing == "</thinking>")
    }
}
