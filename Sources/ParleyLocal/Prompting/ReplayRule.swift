// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Decides whether a model's raw output can replace its message in later prompts.
struct ReplayRule: Sendable {
    /// The tags of reasoning.
    var tags: ReasoningTags
    /// How the model writes calls.
    var format: FunctionCallFormat

    /// The message without its raw output where the two differ, because the message was edited, or where the output
    /// broke off inside reasoning or a call, which the next prompt would continue.
    func settled(_ message: ChatMessage) -> ChatMessage {
        guard message.role == .assistant, let raw = message.rawOutput, !says(raw, message) else { return message }
        var settled = message
        settled.rawOutput = nil
        return settled
    }

    /// Whether a router makes this message of the text. Its setup back then is not known, so all setups are tried.
    private func says(_ raw: String, _ message: ChatMessage) -> Bool {
        let formats = format == .rawText ? [nil] : [format, nil]
        return formats.contains { format in
            [false, true].contains { startsInside in
                reads(
                    raw, as: message,
                    ResponseRouter.Configuration(
                        reasoning: tags, startsInsideReasoning: startsInside, functionCalls: format))
            }
        }
    }

    private func reads(_ raw: String, as message: ChatMessage, _ configuration: ResponseRouter.Configuration) -> Bool {
        var router = ResponseRouter(configuration)
        var parts = router.append(raw, tokens: 0)
        // Where nothing closes a call, the end of the reply does.
        let endsCalls = configuration.functionCalls?.parser.closing == nil
        guard !router.isReasoning, !router.isInsideFunctionCall || endsCalls else { return false }
        parts += router.finish()
        var text = ""
        var reasoning = ""
        var calls: [FunctionCall] = []
        for part in parts {
            switch part {
            case .text(let piece): text += piece
            case .reasoning(let piece): reasoning += piece
            case .functionCalls(let more): calls += more
            case .rejectedFunctionCall, .audio: continue
            }
        }
        let known = message.functionCalls ?? []
        return text.utf8.elementsEqual(message.text.utf8)
            && reasoning.utf8.elementsEqual((message.reasoningContent ?? "").utf8)
            && calls.count == known.count
            && zip(calls, known).allSatisfy { $0.name.isExactly($1.name) && $0.arguments == $1.arguments }
    }
}
