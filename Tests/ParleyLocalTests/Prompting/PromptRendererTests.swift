// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("PromptRenderer")
struct PromptRendererTests {
    private let endOfTurn: TokenID = 2
    private let weather = Function(
        name: "get_weather", description: "The weather in a city",
        parameters: [FunctionParameter(name: "city", type: .string())])

    /// The text that a template renders from messages, including control tokens.
    private func text(
        _ template: String?, _ messages: [ChatMessage], functions: [Function] = [],
        options: GenerationOptions = GenerationOptions()
    ) throws -> String {
        let tokenizer = try ScriptedRunners.tokenizer()
        let prompt = try PromptRenderer(template, tokenizer: tokenizer)
            .render(messages, functions: functions, options: options)
        return tokenizer.decode(prompt.input.tokens, showsControlTokens: true)
    }

    @Test("A control token that a user types is ordinary text")
    func typedControlToken() throws {
        let tokenizer = try ScriptedRunners.tokenizer()
        let tokens = try PromptRenderer(TinyTokenizer.chatTemplate, tokenizer: tokenizer)
            .render([.user("<|im_end|>")], functions: [], options: GenerationOptions()).input.tokens
        #expect(tokens.count { $0 == endOfTurn } == 1)
        #expect(tokenizer.decode(tokens).contains("<|im_end|>"))
    }

    @Test("The beginning-of-text token occurs once, whether or not the template writes it")
    func beginningOfText() throws {
        let tokenizer = try ScriptedRunners.tokenizer(of: .gemma3)
        let beginning = try #require(tokenizer.beginningOfText)
        for source in ["hello", "{{ bos_token }}hello"] {
            let tokens = try PromptRenderer(source, tokenizer: tokenizer)
                .render([], functions: [], options: GenerationOptions()).input.tokens
            #expect(tokens.first == beginning)
            #expect(tokens.count { $0 == beginning } == 1)
        }
    }

    @Test("The last message is continued where its text ends")
    func continuing() throws {
        var options = GenerationOptions()
        options.continuesLastMessage = true
        let messages: [ChatMessage] = [.user("hello"), .assistant("well, ")]
        #expect(
            try text(nil, messages, options: options)
                == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\nwell, ")
        for wrong in [[.user("hello")], [.user("hello"), .assistant("")]] as [[ChatMessage]] {
            #expect(throws: ConversationError.self) { try text(nil, wrong, options: options) }
        }
        // A template that writes something else than the text leaves nothing to go on with.
        let loud = "{% for m in messages %}{{ m.content | upper }}{% endfor %}"
        #expect(throws: ConversationError.self) { try text(loud, messages, options: options) }
    }

    @Test("A developer is the system, except for a template that knows the role")
    func developer() throws {
        let messages = [ChatMessage(role: .developer, content: [.text("rule")]), .user("hello")]
        #expect(try text(nil, messages).hasPrefix("<|im_start|>system\nrule<|im_end|>"))
        let knowing = "{% for m in messages %}{% if m.role == 'developer' %}D:{% endif %}{{ m.content }};{% endfor %}"
        #expect(try text(knowing, messages) == "D:rule;hello;")
    }

    @Test("Without a template ChatML is used, and the report says so")
    func chatML() throws {
        #expect(try !PromptRenderer(nil, tokenizer: ScriptedRunners.tokenizer()).isModelsOwn)
        #expect(
            try text(nil, [.user("hello")]) == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n")
    }

    @Test("A template that takes tools gets the functions, with control tokens in them as text")
    func tools() throws {
        var function = weather
        function.description = "<|im_end|>"
        let template = "{% for tool in tools %}{{ tool | tojson }}{% endfor %}<tool_call>"
        let tokenizer = try ScriptedRunners.tokenizer()
        let prompt = try PromptRenderer(template, tokenizer: tokenizer)
            .render([.user("hello")], functions: [function], options: GenerationOptions())
        #expect(tokenizer.decode(prompt.input.tokens).contains(#""name": "get_weather""#))
        #expect(!prompt.input.tokens.contains(endOfTurn))
        #expect(!prompt.prepared.report.describesFunctionsInSystemMessage)
        #expect(prompt.prepared.report.functionCallFormat == "hermes")
    }

    @Test("For a template without tools the functions are described in the system message, and the report says so")
    func describedFunctions() throws {
        let messages: [ChatMessage] = [.system("Be brief."), .user("hello")]
        let prompt = try PromptRenderer(TinyTokenizer.chatTemplate, tokenizer: ScriptedRunners.tokenizer())
            .render(messages, functions: [weather], options: GenerationOptions())
        #expect(prompt.prepared.report.describesFunctionsInSystemMessage)
        let rendered = try text(TinyTokenizer.chatTemplate, messages, functions: [weather])
        #expect(rendered.hasPrefix("<|im_start|>system\nBe brief.\n\nYou can call functions."))
        #expect(rendered.contains("get_weather"))
    }

    @Test("A schema is shown once, unless that is switched off")
    func schema() throws {
        var options = GenerationOptions(jsonSchemaConstraint: .object(["answer": .integer()]))
        let shown = try text(TinyTokenizer.chatTemplate, [.user("hello")], options: options)
        #expect(shown.components(of: "\"answer\"") == 3)
        options.injectSchemaIntoPrompt = false
        #expect(try !text(TinyTokenizer.chatTemplate, [.user("hello")], options: options).contains("answer"))
    }

    @Test("Function calls and results are passed to a template in OpenAI's format, with arguments as an object")
    func callMessages() throws {
        let call = FunctionCall(id: "call00001", name: "get_weather", arguments: ["city": "Bern"])
        let reply = ChatMessage(
            role: .assistant, content: [], functionCalls: [call], rawOutput: "<tool_call>…</tool_call>")
        let template = """
            {%- if tools %}{% endif -%}
            {%- for m in messages %}{{ m.role }}:{{ m.content }}
            {%- for c in m.tool_calls or [] %}{{ c.id }} {{ c.function.name }} {{ c.function.arguments.city }}{% endfor %}
            {%- if m.tool_call_id %} for {{ m.tool_call_id }}{% endif %};{% endfor -%}
            """
        let text = try text(template, [.user("hello"), reply, .functionResult("rain", for: call)])
        #expect(text == "user:hello;assistant:call00001 get_weather Bern;tool:rain for call00001;")
    }

    @Test("A reply is repeated in prompts as the model wrote it, unless the template writes its tags itself")
    func replay() throws {
        let reply = ChatMessage(
            role: .assistant, content: [.text("4")], reasoningContent: "2+2", rawOutput: "<think>2+2</think>4")
        let plain = "{% for m in messages %}{{ m.content }}{% endfor %}"
        #expect(try text(plain, [.user("?"), reply]) == "?<think>2+2</think>4")
        let knowing = "{% for m in messages %}{{ m.reasoning_content }}|{{ m.content }}{% endfor %}"
        #expect(try text(knowing, [reply]) == "2+2|4")
    }

    @Test("A template that writes the headers of a reply's messages gets its text and reasoning without them")
    func headers() throws {
        let template =
            "{% for m in messages %}{% if '<|channel|>' in m.content %}{{ raise_exception('tags') }}{% endif %}"
            + "{{ m.content }}{% if m.thinking %}({{ m.thinking }}){% endif %}"
            + "{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %};{% endfor %}"
            + "{# <|channel|>analysis<|message|> tools #}"
        let reasoning = "<|channel|>analysis<|message|>2+2<|end|><|start|>assistant"
        let answers = [
            ChatMessage(
                role: .assistant, content: [.text("4")], reasoningContent: "2+2",
                rawOutput: "\(reasoning)<|channel|>final<|message|>4"),
            ChatMessage(role: .assistant, content: [.text("4")], rawOutput: "<|channel|>final<|message|>4"),
        ]
        for answer in answers { #expect(try text(template, [.user("?"), answer]) == "?;4;") }
        let call = ChatMessage(
            role: .assistant, content: [], reasoningContent: "2+2",
            functionCalls: [FunctionCall(id: "call00001", name: "add", arguments: [:])],
            rawOutput: "\(reasoning)<|channel|>commentary to=functions.add<|message|>{}")
        #expect(try text(template, [.user("?"), call]) == "?;(2+2)add;")
    }

    @Test(
        "Reasoning that was cut off is not repeated, because the next prompt would continue inside it",
        arguments: ["<think>", ""])
    func cutReasoning(opening: String) throws {
        let reply = ChatMessage(
            role: .assistant, content: [], reasoningContent: "two and", rawOutput: "\(opening)two and")
        let plain = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{# <think> #}"
        #expect(try text(plain, [.user("?"), reply, .user("!")]) == "<user>?<assistant><user>!")
    }

    @Test("A call that was cut off is not repeated in prompts")
    func cutCall() throws {
        let reply = ChatMessage(
            role: .assistant, content: [.text("Let me see.")], rawOutput: "Let me see.<tool_call>{\"name\": \"get")
        #expect(try text("{% for m in messages %}{{ m.content }}{% endfor %}", [reply]) == "Let me see.")
    }

    @Test("An edited message is shown as it is now, not as the model wrote it")
    func editedReply() throws {
        let plain = "{% for m in messages %}{{ m.content }}{% endfor %}"
        var reply = ChatMessage(
            role: .assistant, content: [.text("4")], reasoningContent: "2+2", rawOutput: "<think>2+2</think>4")
        reply.content = [.text("five")]
        #expect(try text(plain, [reply]) == "five")
        reply.content = [.text("4")]
        reply.reasoningContent = nil
        #expect(try text(plain, [reply]) == "4")
        reply.reasoningContent = "2+2"
        #expect(try text(plain, [reply]) == "<think>2+2</think>4")
    }

    @Test(
        "A reply that began inside reasoning is repeated as a whole",
        arguments: ["two and two</think>\n\nfour", "</think>four"])
    func openedByTemplate(raw: String) throws {
        let reasoning = raw.hasPrefix("<") ? nil : "two and two"
        let reply = ChatMessage(
            role: .assistant, content: [.text("four")], reasoningContent: reasoning, rawOutput: raw)
        #expect(try text("{% for m in messages %}{{ m.content }}{% endfor %}", [reply]) == raw)
    }

    @Test("A reply's tags are repeated as control tokens, and a user's tags are text")
    func replayedTags() throws {
        let tokenizer = try ScriptedRunners.reasoningTokenizer()
        let tag = try #require(tokenizer.id(ofSpelling: "<think>"))
        let renderer = try PromptRenderer(
            "{% for m in messages %}{{ m.content | trim }}{% endfor %}{# <think> </think> #}", tokenizer: tokenizer)
        let reply = ChatMessage(
            role: .assistant, content: [.text("4")], reasoningContent: "2", rawOutput: " <think>2</think>4 ")
        func tags(_ message: ChatMessage) throws -> Int {
            try renderer.render([message], functions: [], options: GenerationOptions()).input.tokens.count { $0 == tag }
        }
        #expect(try tags(.user("<think>2</think>")) == 0)
        var spaced = reply
        spaced.content = [.text("4 ")]
        #expect(try tags(spaced) == 1)
        // Messages that repeat a reply are text.
        let repeated: [ChatMessage] = [.user("hi"), spaced, .user(" <think>2</think>4 "), .user("<think>2</think>4 ")]
        let prompt = try renderer.render(repeated, functions: [], options: GenerationOptions())
        #expect(prompt.input.tokens.count { $0 == tag } == 1)
    }

    @Test("Tokenizing the pieces of a prompt ends with its time")
    func deadline() throws {
        let renderer = try PromptRenderer("{{ messages[0].content }}", tokenizer: ScriptedRunners.tokenizer())
        let pieces = [TextSegment(String(repeating: "hello there ", count: 100_000), origin: .input)]
        #expect(throws: PromptDeadlinePassed.self) { try renderer.tokens(of: pieces, .now) }
        #expect(try renderer.tokens(of: pieces, nil).count > 100_000)
    }

    @Test("Tags of reasoning are found in a template whatever mark follows them")
    func tagBeforeMark() throws {
        let renderer = try PromptRenderer(
            "{{ messages[0].content }}{# </think>\u{301} reasoning_content\u{301} #}",
            tokenizer: ScriptedRunners.tokenizer())
        #expect(renderer.mentionsReasoning)
    }

    @Test("An opening tag written by a user at the end of a prompt does not begin reasoning")
    func userOpensNothing() throws {
        for template in ["{{ messages[0].content }}", "{{ messages[0].content }}\n", "<th{{ messages[0].content }}"] {
            let renderer = try PromptRenderer(template, tokenizer: ScriptedRunners.tokenizer())
            for typed in ["<think>", "<think>\n", "ink>"] {
                let prompt = try renderer.render([.user(typed)], functions: [], options: GenerationOptions())
                #expect(!prompt.startsInsideReasoning, "\(template) \(typed)")
            }
        }
    }

    @Test("An image keeps its place whatever follows it", arguments: ["\u{301}x", "\u{200D}x", "\u{FE0F}", "\n", ""])
    func imageBeforeMark(text: String) throws {
        let model = SeeingModel(base: try ScriptedRunners.model(saying: ""))
        let renderer = try PromptRenderer("{{ messages[0].content }}", tokenizer: model.tokenizer, images: model)
        let message = ChatMessage(role: .user, content: [.text("a"), .image(SeeingModel.image()), .text(text)])
        let prompt = try renderer.render([message], functions: [], options: GenerationOptions())
        #expect(prompt.input.embeddings == [SeeingModel.embedding(of: SeeingModel.image())])
        #expect(prompt.prepared.report.droppedImages == 0)
        #expect(model.tokenizer.decode(prompt.input.tokens) == "a" + text)
    }

    @Test("An image that would take gigabytes, or is none, does not reach the model", arguments: [true, false])
    func unfitImage(isImage: Bool) throws {
        let model = SeeingModel(base: try ScriptedRunners.model(saying: ""))
        let renderer = try PromptRenderer("{{ messages[0].content }}", tokenizer: model.tokenizer, images: model)
        let image = isImage ? SeeingModel.image(isHuge: true) : Data("GIF89a".utf8)
        let message = ChatMessage(role: .user, content: [.image(image)])
        let error = #expect(throws: ConversationError.self) {
            try renderer.render([message], functions: [], options: GenerationOptions())
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains(isImage ? "134217729 pixels" : "neither a JPEG nor a PNG") == true)
    }

    @Test("An image that the template leaves out is reported")
    func omittedImage() throws {
        let model = SeeingModel(base: try ScriptedRunners.model(saying: ""))
        let renderer = try PromptRenderer("{{ messages[0].role }}", tokenizer: model.tokenizer, images: model)
        let prompt = try renderer.render(
            [ChatMessage(role: .user, content: [.image(.init([0xFF]))])], functions: [], options: GenerationOptions())
        #expect(prompt.prepared.report.droppedImages == 1)
    }

    @Test("A template that opens reasoning is recognised, and reasoning that is switched off is closed immediately")
    func openReasoning() throws {
        let renderer = try PromptRenderer("{{ messages[0].content }}<think>\n", tokenizer: ScriptedRunners.tokenizer())
        var options = GenerationOptions()
        #expect(try renderer.render([.user("?")], functions: [], options: options).startsInsideReasoning)
        options.reasoning = .off
        #expect(try !renderer.render([.user("?")], functions: [], options: options).startsInsideReasoning)
        #expect(
            try text("{{ messages[0].content }}<think>\n", [.user("?")], options: options)
                == "?<think>\n</think>\n\n")
    }

    @Test("Templates are told whether to reason if an option says so")
    func reasoningVariable() throws {
        let template = "{{ enable_thinking is defined }} {{ enable_thinking }}"
        #expect(try text(template, [.user("?")], options: GenerationOptions(reasoning: .off)) == "True False")
        #expect(try text(template, [.user("?")]) == "False ")
    }

    @Test("Messages that a template refuses are an error of the caller")
    func refusal() throws {
        let template = "{{ raise_exception('Roles must alternate') }}"
        let error = #expect(throws: ConversationError.self) { try text(template, [.user("?")]) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("Roles must alternate") == true)
    }

    @Test("Images are left out for a model without image support, and the report has their number")
    func images() throws {
        let image = ChatMessageContent.image(.init([0xFF, 0xD8, 0xFF]))
        let message = ChatMessage(role: .user, content: [.text("What is "), image, .text("this?")])
        #expect(try text("{{ messages[0].content }}", [message]) == "What is this?")
        let renderer = try PromptRenderer(nil, tokenizer: ScriptedRunners.tokenizer())
        let prompt = try renderer.render([message, message], functions: [], options: GenerationOptions())
        #expect(prompt.prepared.report.droppedImages == 2)
    }

    @Test("Sounds are refused")
    func sounds() throws {
        let message = ChatMessage(role: .user, content: [.audio(.init([1]))])
        let error = #expect(throws: ConversationError.self) { try text(nil, [message]) }
        #expect(error?.code == .invalidInput)
    }
}

extension String {
    /// How many parts the text falls into.
    fileprivate func components(of separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
