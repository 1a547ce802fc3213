// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("LocalReply")
struct LocalReplyTests {
    private let greedy = GenerationOptions(temperature: 0, repetitionPenalty: 1, maxTokens: 200)
    /// A template that opens reasoning in the prompt.
    private let reasoning = TinyTokenizer.chatTemplate + "{{ '<think>\\n' }}"
    private let reasoningHead = ScriptedRunners.head + "<think>\n"

    private func completion(
        of runner: LocalModelRunner, _ options: GenerationOptions, functions: [Function] = []
    ) async throws -> MessageCompletion {
        let conversation = runner.createConversation()
        for function in functions { conversation.registerFunction(function) }
        return try await conversation.reply(to: "hello", generationOptions: options).completion
    }

    @Test("How much of a prompt has been read is told before its first chunk and after each")
    func progress() async throws {
        let runner = try ScriptedRunners.runner(saying: "four")
        let told = Mutex<[GenerationProgress]>([])
        let writer = ResponseWriter(onProgress: { progress in told.withLock { $0.append(progress) } }) { _ in }
        let request = GenerationRequest(
            messages: [.user(String(repeating: "hello ", count: 400))], options: greedy,
            contextPolicy: .error)
        let outcome = try await runner.generate(request, to: writer)
        let total = try #require(outcome.stats?.promptTokens)
        let read = told.withLock { $0 }
        #expect(total > 512 && read.count == 1 + (total + 255) / 256)
        #expect(read.first == .reading(0, of: total) && read.last == .reading(total, of: total))
    }

    @Test("Reasoning is separated from the answer, and its tokens are counted")
    func reasoningParts() async throws {
        let runner = try ScriptedRunners.runner(saying: "<think>two and two</think>\n\nfour")
        let completion = try await completion(of: runner, greedy)
        #expect(completion.message.text == "four")
        #expect(completion.message.reasoningContent == "two and two")
        #expect(completion.message.rawOutput == "<think>two and two</think>\n\nfour")
        let stats = try #require(completion.stats)
        #expect(stats.reasoningTokens > 3 && stats.reasoningTokens < stats.completionTokens)
    }

    @Test(
        "A stop string that is a control token ends the answer; its text is not shown",
        arguments: [
            (["<|im_start|>"], "one "), (["<|im_start|>two"], "one "), (["one <|im_start|>"], ""),
            (["<|im_start|>x"], "one two"), ([], "one two"),
        ])
    func stopsAtControlToken(stop: [String], text: String) async throws {
        let tokenizer = try ScriptedRunners.tokenizer()
        let start = try #require(tokenizer.id(ofSpelling: "<|im_start|>"))
        let end = tokenizer.endOfGeneration.min() ?? 0
        let said =
            tokenizer.encode("<think>so") + [start] + tokenizer.encode("so</think>one ") + [start]
            + tokenizer.encode("two") + [end]
        let prompts = Mutex<Int?>(nil)
        let base = ScriptedModel(tokenizer: tokenizer) { tokens in
            let count = prompts.withLock { first in
                first = first ?? tokens.count
                return tokens.count - (first ?? 0)
            }
            return said.indices.contains(count) ? said[count] : end
        }
        var info = base.info
        info.chatTemplate = TinyTokenizer.chatTemplate
        let runner = try LocalModelRunner(TemplatedModel(info: info, base: base))
        var options = greedy
        options.stop = stop
        let completion = try await completion(of: runner, options)
        #expect(completion.message.text == text)
        #expect(completion.message.reasoningContent == "soso")
        #expect(completion.message.rawOutput == "<think>soso</think>" + text)
        #expect(completion.finishReason == .stop)
    }

    @Test("A template that opens the tag starts inside reasoning")
    func openedReasoning() async throws {
        let runner = try ScriptedRunners.runner(
            saying: "two and two</think>four", head: reasoningHead, template: reasoning)
        let completion = try await completion(of: runner, greedy)
        #expect(completion.message.text == "four")
        #expect(completion.message.reasoningContent == "two and two")
    }

    @Test(
        "When the reasoning budget is spent, the closing tag is inserted and the answer begins", arguments: [0, 1, 5])
    func reasoningBudget(budget: Int) async throws {
        let runner = try ScriptedRunners.runner(
            saying: String(repeating: "hmm ", count: 20), head: reasoningHead, template: reasoning)
        var options = greedy
        options.maxReasoningTokens = budget
        let completion = try await completion(of: runner, options)
        #expect(completion.message.rawOutput?.contains("\n</think>\n\n") == true)
        #expect(try #require(completion.stats).reasoningTokens < budget + 12, "and the tag's own")
        #expect((completion.message.reasoningContent ?? "").split(separator: " ").count <= budget)
        #expect(completion.message.text.isEmpty == false)
    }

    @Test("A schema constrains the answer whatever the model's logits are")
    func schema() async throws {
        let runner = try ScriptedRunners.runner(saying: "I would rather talk.")
        var options = greedy
        options.jsonSchemaConstraint = .object(["open": .boolean(), "door": .string(oneOf: ["left", "right"])])
        let completion = try await completion(of: runner, options)
        let value = try JSONSchema(parsing: completion.message.text).value
        #expect(completion.finishReason == .stop)
        #expect(value["open"]?.bool != nil)
        #expect(["left", "right"].contains(value["door"]?.string))
    }

    @Test("Reasoning comes before a constraint, and the answer has to come after it")
    func schemaAfterReasoning() async throws {
        let runner = try ScriptedRunners.runner(
            saying: "Let me see.</think>\n\nnothing", head: reasoningHead, template: reasoning)
        var options = greedy
        options.jsonSchemaConstraint = .object(["open": .boolean()])
        let completion = try await completion(of: runner, options)
        #expect(completion.message.reasoningContent == "Let me see.")
        #expect(try JSONSchema(parsing: completion.message.text).value["open"]?.bool != nil)
    }

    @Test("A model cannot end the reply inside reasoning if an answer is required")
    func unendingReasoning() async throws {
        let runner = try ScriptedRunners.runner(saying: "Hm.", head: reasoningHead, template: reasoning)
        var options = greedy
        options.jsonSchemaConstraint = .object(["open": .boolean()])
        options.maxReasoningTokens = 10
        let completion = try await completion(of: runner, options)
        #expect(try JSONSchema(parsing: completion.message.text).value["open"]?.bool != nil)
    }

    @Test("A model may open reasoning itself before a constraint", arguments: [true, false])
    func openingReasoning(mayReason: Bool) async throws {
        let template = TinyTokenizer.chatTemplate + "{# <think> #}"
        let runner = try LocalModelRunner(
            ScriptedRunners.model(
                saying: "<think>Let me see.</think>\n\nnothing", template: template,
                tokenizer: ScriptedRunners.reasoningTokenizer()))
        var options = greedy
        options.jsonSchemaConstraint = .object(["open": .boolean()])
        options.reasoning = mayReason ? .automatic : .off
        let completion = try await completion(of: runner, options)
        #expect(completion.finishReason == .stop)
        #expect(completion.message.reasoningContent == (mayReason ? "Let me see." : nil))
        #expect(try JSONSchema(parsing: completion.message.text).value["open"]?.bool != nil)
    }

    @Test("The opening tag of reasoning before a constraint may have several tokens", arguments: [true, false])
    func longOpening(mayReason: Bool) async throws {
        let runner = try ScriptedRunners.runner(
            saying: "<|channel>thought\nLet me see.<channel|>nothing",
            template: TinyTokenizer.chatTemplate + "{# <|channel>thought #}")
        var options = greedy
        options.jsonSchemaConstraint = .object(["open": .boolean()])
        options.reasoning = mayReason ? .automatic : .off
        let completion = try await completion(of: runner, options)
        #expect(completion.finishReason == .stop)
        #expect(completion.message.reasoningContent == (mayReason ? "Let me see." : nil))
        #expect(try JSONSchema(parsing: completion.message.text).value["open"]?.bool != nil)
    }

    @Test("The opening tag of reasoning may be a control token and text")
    func partlyControlOpening() async throws {
        let runner = try LocalModelRunner(
            ScriptedRunners.model(
                saying: "<|channel>thought\nLet me see.<channel|>four",
                template: TinyTokenizer.chatTemplate + "{# <|channel>thought #}",
                tokenizer: ScriptedRunners.reasoningTokenizer(tags: ["<|channel>", "<channel|>"], areControl: true)))
        let completion = try await completion(of: runner, greedy)
        #expect(completion.message.reasoningContent == "Let me see.")
        #expect(completion.message.text == "four")
    }

    @Test(
        "An answer in a channel of its own is constrained after its header, with or without reasoning before it",
        arguments: ["<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant", ""])
    func channels(beginning: String) async throws {
        let runner = try ScriptedRunners.runner(
            saying: beginning + "<|channel|>final<|message|>nothing",
            template: TinyTokenizer.chatTemplate + "{# <|channel|>analysis<|message|> #}")
        var options = greedy
        options.jsonSchemaConstraint = .object(["open": .boolean()])
        let completion = try await completion(of: runner, options)
        #expect(completion.finishReason == .stop)
        #expect(completion.message.reasoningContent == (beginning.isEmpty ? nil : "Let me see."))
        #expect(try JSONSchema(parsing: completion.message.text).value["open"]?.bool != nil)
    }

    /// Runs what it is given where everything runs, and counts it.
    private final class CountingExecutor: TaskExecutor {
        let jobs = Atomic(0)

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.add(1, ordering: .relaxed)
            globalConcurrentExecutor.enqueue(job)
        }
    }

    private struct PatientParser: FunctionCallParser {
        let name = "patient"
        let opening = "<tool_call>"
        let closing: String? = "</tool_call>"

        func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
            try HermesDialect().parse(text)
        }
    }

    @Test(
        "A reply runs in the engine's thread, unless reading its calls or holding it to a rule may take long",
        arguments: [
            (nil, .free, true), (HermesDialect(), .free, true), (LlamaDialect(), .free, true),
            (LiquidDialect(), .free, true), (MistralDialect.list, .free, true), (MistralDialect.named, .free, true),
            (PatientParser(), .free, false), (HermesDialect(), .functions, false), (nil, .schema, false),
        ] as [((any FunctionCallParser)?, Rule, Bool)])
    func thread(parser: (any FunctionCallParser)?, rule: Rule, isEngines: Bool) async throws {
        let executor = CountingExecutor()
        var model = try ScriptedRunners.model(saying: "[]")
        model.executor = executor
        var options = greedy
        options.functionCallParser = parser.map { FunctionCallFormat($0) }
        if rule == .schema { options.jsonSchemaConstraint = try JSONSchema(parsing: #"{"const": []}"#) }
        let completion = try await completion(
            of: LocalModelRunner(model, contextSize: 8_192), options,
            functions: rule == .functions ? [Function(name: "look", description: "Looks")] : [])
        #expect(completion.message.text == "[]")
        #expect((executor.jobs.load(ordering: .relaxed) > 0) == isEngines)
    }

    enum Rule {
        case free, functions, schema
    }

    @Test("A schema that cannot be enforced is refused by name, and nothing enters the history")
    func unsupportedSchema() async throws {
        let conversation = try ScriptedRunners.runner(saying: "hello").createConversation()
        var options = greedy
        options.jsonSchemaConstraint = try JSONSchema(
            parsing: #"{"type": "object", "properties": {"a": {"uniqueItems": true}}}"#)
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "hello", generationOptions: options).completion
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("uniqueItems") == true)
        #expect(conversation.history.isEmpty)
    }

    @Test("A file's sampling takes precedence over the catalog's, and the options over both")
    func optionsResolution() async throws {
        /// Negative temperatures are refused, which shows whose setting is used.
        func outcome(option: Float?, file: Float?, catalog: Float?) async -> Bool {
            do {
                let runner = try LocalModelRunner(
                    ScriptedRunners.model(saying: "hello", sampling: .init(temperature: file)),
                    sampling: .init(temperature: catalog))
                var options = GenerationOptions()
                options.temperature = option
                _ = try await completion(of: runner, options)
                return true
            } catch {
                return false
            }
        }
        #expect(await outcome(option: nil, file: nil, catalog: -1) == true)
        #expect(await outcome(option: nil, file: 1, catalog: -1))
        #expect(await outcome(option: nil, file: -1, catalog: 1) == true)
        #expect(await outcome(option: 1, file: -1, catalog: -1))
    }
}
