// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation
    import ParleyJSON

    /// A request in the library's form: messages and functions as JSON, which its template makes into a prompt.
    struct LiteRTLMPrompt: Sendable {
        /// All messages but the last one.
        let history: JSONValue
        /// The last message.
        let message: JSONValue
        let sampling: SamplingOptions
        let maxTokens: Int?
        /// What the whole reply is held to; nil for free text.
        let schema: JSONValue?

        /// Reads a request.
        ///
        /// - Throws: ``ConversationError`` with code `invalidInput` for what the library cannot do here.
        init(
            _ messages: [ChatMessage], _ functions: [Function], _ options: GenerationOptions
        ) throws(ConversationError) {
            guard options.heldBlocks.isEmpty else {
                throw ConversationError(.invalidInput, "LiteRT-LM holds no parts of a reply to a schema.")
            }
            var texts = messages.map { message in
                (role: Self.role(of: message), text: message.text)
            }
            schema = options.jsonSchemaConstraint?.value
            var additions: [String] = []
            // Not through the template: one that knows no functions would leave them out in silence.
            if !functions.isEmpty, options.functionCalling != .none {
                additions.append("These functions exist: \(JSONValue.array(functions.map(\.json)).text())")
            }
            if let schema, options.injectSchemaIntoPrompt {
                additions.append("Answer with JSON that satisfies this schema: \(schema.text())")
            }
            if !additions.isEmpty {
                if texts.first?.role != "system" { texts.insert(("system", ""), at: 0) }
                texts[0].text = ([texts[0].text] + additions).filter { !$0.isEmpty }.joined(separator: "\n\n")
            }
            guard let last = texts.popLast() else {
                throw ConversationError(.invalidInput, "There is no message to reply to.")
            }
            history = .array(texts.map { Self.message($0.role, $0.text) })
            message = Self.message(last.role, last.text)
            sampling = options.sampling
            maxTokens = options.maxTokens
        }

        private static func role(of message: ChatMessage) -> String {
            switch message.role {
            case .system, .developer: "system"
            case .assistant: "assistant"
            case .tool: "tool"
            case .user: "user"
            }
        }

        private static func message(_ role: String, _ text: String) -> JSONValue {
            ["role": .string(role), "content": [["type": "text", "text": .string(text)]]]
        }
    }
#endif
