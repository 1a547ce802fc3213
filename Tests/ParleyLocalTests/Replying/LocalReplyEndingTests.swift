// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("How a LocalReply ends, and whether it begins", .timeLimit(.minutes(15)))
struct LocalReplyEndingTests {
    private let greedy = GenerationOptions(temperature: 0, repetitionPenalty: 1, maxTokens: 200)

    /// Encodes an image until it is cancelled, and then throws an error of its own.
    private struct PatientViewer: ImageTokenModel {
        let base: TemplatedModel
        let seesImages = true
        let hasBegun: @Sendable () -> Void
        var info: ModelDescription { base.info }
        var tokenizer: Tokenizer { base.tokenizer }

        func makeTimeline(capacity: Int) throws -> any TokenTimeline { try base.makeTimeline(capacity: capacity) }

        func input(ofImage bytes: Data) throws -> ModelInput {
            hasBegun()
            while !Task.isCancelled {}
            throw RuntimeError(.invalidInput, "It gave up.")
        }
    }

    @Test(
        "A timeout and a stop end a reply while its prompt is made, and the message is kept", arguments: [true, false])
    func endInPrompt(isTimeout: Bool) async throws {
        let hasBegun = DispatchSemaphore(value: 0)
        let viewer = try PatientViewer(base: ScriptedRunners.model(saying: "never"), hasBegun: { hasBegun.signal() })
        let conversation = try LocalModelRunner(viewer, contextSize: 8_192).createConversation()
        let message = ChatMessage(role: .user, content: [.image(SeeingModel.image()), .text("What is it?")])
        var options = greedy
        options.timeout = isTimeout ? .milliseconds(20) : nil
        let heard = AsyncStream.makeStream(of: MessageResponse.self)
        let handler = conversation.generateResponse(
            message: message, generationOptions: options, onResponse: { heard.continuation.yield($0) })
        if !isTimeout {
            // Not in a task: the model may have all threads that tasks have.
            DispatchQueue(label: "stop").async {
                hasBegun.wait()
                handler?.stop()
            }
        }
        for await response in heard.stream {
            guard case .complete(let completion) = response else { continue }
            #expect(completion.finishReason == (isTimeout ? .timeout : .cancelled))
            break
        }
        #expect(conversation.history == [message])
    }

    @Test("A time limit that has passed ends a reply, and the message is kept")
    func timeout() async throws {
        let conversation = try ScriptedRunners.runner(saying: "hello").createConversation()
        var options = greedy
        options.timeout = .zero
        let completion = try await conversation.reply(to: "hello", generationOptions: options).completion
        #expect(completion.finishReason == .timeout)
        #expect(conversation.history == [.user("hello")])
    }

    /// A template that renders for a minute or longer.
    private static let endless = """
        {%- for a in range(2000) %}{% for b in range(2000) %}{% for c in range(2000) %}{% endfor %}{% endfor %}
        {%- endfor %}{{ messages[0].content }}
        """

    @Test("The time limit includes making the prompt, and the message is kept")
    func timeoutWhileRendering() async throws {
        let template = TinyTokenizer.chatTemplate + "{% if messages[0].content == 'slow' %}\(Self.endless){% endif %}"
        let conversation = try ScriptedRunners.runner(saying: "hello", template: template).createConversation()
        var options = greedy
        options.timeout = .nanoseconds(1)
        let completion = try await conversation.reply(to: "slow", generationOptions: options).completion
        #expect(completion.finishReason == .timeout)
        #expect(conversation.history == [.user("slow")])
    }

    @Test("Stopping ends the rendering of a template, and the message is kept")
    func stoppedWhileRendering() async throws {
        let template = TinyTokenizer.chatTemplate + "{% if messages[0].content == 'slow' %}\(Self.endless){% endif %}"
        let conversation = try ScriptedRunners.runner(saying: "hello", template: template).createConversation()
        let (ended, end) = AsyncStream.makeStream(of: FinishReason.self)
        let handler = conversation.generateResponse(
            message: .user("slow"), generationOptions: greedy,
            onResponse: { if case .complete(let completion) = $0 { end.yield(completion.finishReason) } },
            onError: { _ in end.finish() })
        try #require(handler).stop()
        var iterator = ended.makeAsyncIterator()
        #expect(await iterator.next() == .cancelled)
        #expect(conversation.history == [.user("slow")])
    }

    @Test("A conversation continues after a reply that was stopped before its first token, also if roles alternate")
    func goesOnAfterStop() async throws {
        let alternating = """
            {%- for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}
            {{- raise_exception('Conversation roles must alternate') }}{% endif %}{% endfor -%}
            """
        let runner = try ScriptedRunners.runner(saying: "hello", template: alternating + TinyTokenizer.chatTemplate)
        let conversation = runner.createConversation()
        var options = greedy
        options.timeout = .zero
        let completion = try await conversation.reply(to: "one", generationOptions: options).completion
        #expect(completion.finishReason == .timeout)
        #expect(try await conversation.reply(to: "two", generationOptions: greedy).completion.message.text == "hello")
        #expect(try await conversation.reply(to: "three", generationOptions: greedy).completion.message.text == "hello")
        #expect(conversation.history.map(\.role) == [.user, .user, .assistant, .user, .assistant])
    }

    @Test(
        "Under every policy a prompt may use the context without the tokens reserved for the reply",
        arguments: [ContextPolicy.error, .dropOldestTurns])
    func budget(policy: ContextPolicy) async throws {
        let model = try ScriptedRunners.model(saying: "hello")
        let count = try await LocalModelRunner(model).promptTokenCount(
            messages: [.user("hello")], functions: [], options: nil)
        for maxTokens in [0, 1, 7] {
            for missing in [0, 1] {
                let context = count + max(maxTokens, 1) - missing
                let conversation = try LocalModelRunner(model, contextSize: context).createConversation()
                conversation.contextPolicy = policy
                let options = GenerationOptions(temperature: 0, maxTokens: maxTokens)
                if missing == 0 {
                    _ = try await conversation.reply(to: "hello", generationOptions: options).completion
                    #expect(conversation.history.count == 2)
                } else {
                    let error = await #expect(throws: ConversationError.self) {
                        try await conversation.reply(to: "hello", generationOptions: options).completion
                    }
                    #expect(error?.code == .promptExceedsContext)
                    #expect(error?.promptTokens == count && error?.contextTokens == count - 1)
                    #expect(conversation.history.isEmpty)
                }
            }
        }
    }

    @Test("A reply that fills the context ends, and its text is kept")
    func fullContext() async throws {
        let runner = try LocalModelRunner(
            ScriptedRunners.model(saying: String(repeating: "hello ", count: 50)), contextSize: 64)
        let conversation = runner.createConversation()
        let completion = try await conversation.reply(to: "hello", generationOptions: GenerationOptions(temperature: 0))
            .completion
        #expect(completion.finishReason == .contextFull)
        #expect(completion.message.text.hasPrefix("hello hello "))
        #expect(conversation.history == [.user("hello"), completion.message])
        let stats = try #require(completion.stats)
        #expect((64...65).contains(stats.totalTokens), "the last token is drawn and not run")
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "more").completion
        }
        #expect(error?.code == .promptExceedsContext)
    }

    @Test(
        "A template that writes nothing, or fails, is an error, and the conversation can continue",
        arguments: [
            "", "{% if messages[0].content == 'odd' %}", "{% if messages[0].content == 'odd' %}{{ 1 // 0 }}",
        ])
    func silentTemplate(beginning: String) async throws {
        let template =
            beginning.isEmpty ? "" : beginning + "{% else %}" + TinyTokenizer.chatTemplate + "{% endif %}"
        let conversation = try ScriptedRunners.runner(saying: "hello", template: template).createConversation()
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "odd", generationOptions: greedy).completion
        }
        #expect(error?.code == .generationFailed)
        #expect(error?.message.contains("chat template") == true, "\(error?.message ?? "")")
        #expect(conversation.history.isEmpty && !conversation.isGenerating)
        guard !template.isEmpty else { return }
        #expect(try await conversation.reply(to: "even", generationOptions: greedy).completion.message.text == "hello")
    }

    @Test("A schema that takes too much work at one token is an error, and the conversation can continue")
    func hostileSchema() async throws {
        func lists(of items: String) -> String {
            (1...200).map { #"{"type": "array", "items": \#(items), "maxItems": \#($0), "minItems": 1}"# }
                .joined(separator: ",")
        }
        let conversation = try ScriptedRunners.runner(saying: "[[[[").createConversation()
        var options = greedy
        options.jsonSchemaConstraint = try JSONSchema(
            parsing: """
                {"anyOf": [\(lists(of: ##"{"$ref": "#/$defs/b"}"##))], "$defs": {"b": {"anyOf": [\(lists(of: "true"))]}}}
                """)
        options.injectSchemaIntoPrompt = false
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "hello", generationOptions: options).completion
        }
        #expect(error?.code == .invalidInput, "\(error?.message ?? "")")
        #expect(conversation.history.first == .user("hello") && !conversation.isGenerating)
        #expect(try await conversation.reply(to: "hello", generationOptions: greedy).completion.message.text == "[[[[")
    }

    @Test("Tokenizing a long message stops at the time limit and on cancellation")
    func longMessage() throws {
        let tokenizer = try ScriptedRunners.tokenizer()
        let text = [TextSegment(String(repeating: "hello there ", count: 100_000), origin: .input)]
        var questions = 0
        let whole = tokenizer.encode(text, reserving: nil) {
            questions += 1
            return true
        }
        #expect(whole == tokenizer.encode(text))
        #expect(questions >= 1_200_000 / 65_536)
        questions = 0
        let cut = tokenizer.encode(text, reserving: nil) {
            questions += 1
            return questions < 3
        }
        #expect(cut == nil && questions == 3)
    }

    @Test("Turns are left out if the policy allows it, and the reply fits")
    func droppingTurns() async throws {
        let runner = try LocalModelRunner(ScriptedRunners.model(saying: "one two three"), contextSize: 128)
        let conversation = runner.createConversation(systemPrompt: "Be brief.")
        conversation.contextPolicy = .dropOldestTurns
        var dropped = 0
        for number in 0..<6 {
            let completion = try await conversation.reply(
                to: "message \(number)", generationOptions: GenerationOptions(temperature: 0, maxTokens: 8)
            ).completion
            dropped = completion.info.prompt.droppedTurns
            #expect(completion.finishReason != .contextFull)
        }
        #expect(dropped > 0)
        #expect(conversation.history.count == 13)
    }
}
