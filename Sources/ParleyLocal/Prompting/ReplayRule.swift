// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Decides whether later prompts may contain a model's raw output instead of the message that was parsed from it.
struct ReplayRule: Sendable {
    /// The tags that enclose reasoning.
    var tags: ReasoningTags
    /// The format in which the model writes calls.
    var format: FunctionCallFormat

    /// Removes the raw output from a message if it no longer matches the message, which was edited, or if it ends
    /// inside reasoning or a call, which the next prompt would continue.
    func settled(_ message: ChatMessage) -> ChatMessage {
        guard message.role == .assistant, let raw = message.rawOutput, !says(raw, message) else { return message }
        var settled = message
        settled.rawOutput = nil
        return settled
    }

    /// Whether parsing the text gives this message. The configuration of the parser at the time is not known, so all
    /// configurations are tried.
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
        // If the format has no closing tag for calls, the end of the reply ends a call.
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
