// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyLocal
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Continuing texts, and what is told of tokens")
struct CompletingTests {
    /// A model that goes on with a text after the prompt, whatever that is.
    private func runner(saying text: String, after prompt: String) throws -> LocalModelRunner {
        let tokenizer = try ScriptedRunners.tokenizer()
        let count = tokenizer.encode(prompt, specialTokens: .parsed).count
        return try LocalModelRunner(ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode(text), after: count))
    }

    private func complete(
        _ runner: LocalModelRunner, _ request: CompletionRequest
    ) async throws -> MessageCompletion {
        let writer = ResponseWriter { _ in }
        return writer.complete(try await runner.complete(request, to: writer))
    }

    private var greedy: GenerationOptions {
        var options = GenerationOptions(temperature: 0, repetitionPenalty: 1, maxTokens: 40)
        options.likelyTokens = 1
        return options
    }

    @Test("A text is continued as it stands: tags are text, and the prompt's tokens are told")
    func plain() async throws {
        let runner = try runner(saying: " <think>four</think> ", after: "two and two is")
        let completion = try await complete(runner, CompletionRequest(.text("two and two is"), options: greedy))
        #expect(completion.message.text == " <think>four</think> ")
        #expect(completion.message.reasoningContent == nil)
        let known = try #require(completion.info.probabilities)
        #expect(String(decoding: known.flatMap(\.chosen.bytes), as: UTF8.self) == completion.message.text)
        #expect(known.allSatisfy { $0.chosen == $0.top.first })
        let tokens = try ScriptedRunners.tokenizer().encode("two and two is")
        #expect(completion.info.prompt.tokens == tokens)
        let again = try await complete(runner, CompletionRequest(.tokens(tokens), options: greedy))
        #expect(again.message.text == completion.message.text)
    }

    @Test("No prompt, and a token that the model does not have, are told as what they are")
    func wrongPrompts() async throws {
        let runner = try runner(saying: " four", after: "two and two is")
        for (tokens, words) in [([], "must not be empty"), ([1_000_000], "the token 1000000")] as [([Int32], String)] {
            let error = await #expect(throws: ConversationError.self) {
                try await complete(runner, CompletionRequest(.tokens(tokens), options: greedy))
            }
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains(words) == true)
        }
    }

    @Test("A prompt is scored where that is asked for, also without a reply")
    func scored() async throws {
        let runner = try runner(saying: " four", after: "two and two is")
        var options = greedy
        options.maxTokens = 0
        let completion = try await complete(
            runner, CompletionRequest(.text("two and two is"), options: options, scoresPrompt: true))
        #expect(completion.message.text == "")
        let known = try #require(completion.info.prompt.probabilities)
        #expect(String(decoding: known.flatMap(\.chosen.bytes), as: UTF8.self) == "two and two is")
    }

    @Test("The middle of a text is filled in where the model has tokens for that")
    func fillsIn() async throws {
        var writer = TinyModel().writer()
        let tokens = TinyTokenizer.bytePairs.tokens + ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"]
        writer.set("tokenizer.ggml.tokens", .strings(tokens))
        writer.set(
            "tokenizer.ggml.token_type", .integers(tokens.indices.map { $0 < 3 || $0 >= tokens.count - 3 ? 3 : 1 }))
        let tokenizer = try Tokenizer(GGUFFile(bytes: writer.encoded()[...]).tokenizerDescription())
        let fill = try #require(tokenizer.fillInMiddle)
        let prompt =
            [fill.prefix] + tokenizer.encode("one ") + [fill.suffix] + tokenizer.encode(" three") + [fill.middle]
        let runner = try LocalModelRunner(
            ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode("two"), after: prompt.count))
        #expect(runner.abilities.contains(.fillingIn))
        #expect(try !self.runner(saying: "a", after: "b").abilities.contains(.fillingIn))
        let completion = try await complete(
            runner, CompletionRequest(.text("one "), suffix: " three", options: greedy))
        #expect(completion.message.text == "two")
        #expect(completion.info.prompt.tokens == prompt)
        let error = await #expect(throws: ConversationError.self) {
            try await complete(runner, CompletionRequest(.tokens([5]), suffix: " three", options: greedy))
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("A suffix needs tokens for it, a text has to fit, and a bias has to name a token")
    func mistakes() async throws {
        let runner = try runner(saying: "a", after: "b")
        var biased = greedy
        biased.logitBias = [1_000_000: 1]
        for request in [
            CompletionRequest(.text("a"), suffix: "b", options: greedy),
            CompletionRequest(.text(String(repeating: "word ", count: 2_000)), options: greedy),
            CompletionRequest(.tokens([1_000_000]), options: greedy), CompletionRequest(.text("a"), options: biased),
        ] {
            await #expect(throws: ConversationError.self) { try await complete(runner, request) }
        }
    }

    @Test("The stop string that ended a reply is told, and its tokens are not among the answer's")
    func stopString() async throws {
        let runner = try ScriptedRunners.runner(saying: "<think>hm</think>one two three")
        var options = greedy
        options.stop = ["four", "two"]
        let writer = ResponseWriter { _ in }
        let request = GenerationRequest(messages: [.user("hello")], options: options)
        let completion = writer.complete(try await runner.generate(request, to: writer))
        #expect(completion.message.text == "one ")
        #expect(completion.info.stopString == "two")
        let known = try #require(completion.info.probabilities)
        #expect(String(decoding: known.flatMap(\.chosen.bytes), as: UTF8.self).hasPrefix("one"))
        #expect(!String(decoding: known.flatMap(\.chosen.bytes), as: UTF8.self).contains("hm"))
        options.stop = []
        let other = ResponseWriter { _ in }
        let whole = other.complete(
            try await runner.generate(GenerationRequest(messages: [.user("hello")], options: options), to: other))
        #expect(whole.info.stopString == nil)
    }

    @Test(
        "White space that belongs to a tag is not among the tokens of the answer",
        arguments: [
            ("\n\none two three", nil, "one two three", "one two three"), ("\n\none two three", "two", "one ", "one t"),
            (" the xyz", "y", "the x", " the x"),
        ] as [(String, String?, String, String)])
    func whiteSpaceOfTags(said: String, stop: String?, text: String, told: String) async throws {
        let runner = try ScriptedRunners.runner(saying: "<think>hm</think>" + said)
        var options = greedy
        options.stop = stop.map { [$0] } ?? []
        let writer = ResponseWriter { _ in }
        let request = GenerationRequest(messages: [.user("hello")], options: options)
        let completion = writer.complete(try await runner.generate(request, to: writer))
        #expect(completion.message.text == text)
        let known = try #require(completion.info.probabilities)
        #expect(String(decoding: known.flatMap(\.chosen.bytes), as: UTF8.self) == told)
    }

    @Test("A control token has no text, and is not among the tokens of the answer")
    func controlToken() async throws {
        let tokenizer = try ScriptedRunners.tokenizer()
        let start = try #require(tokenizer.id(ofSpelling: "<|im_start|>"))
        let prompt = tokenizer.encode("two")
        let said = tokenizer.encode("one ") + [start] + tokenizer.encode("the xyz")
        let runner = try LocalModelRunner(ScriptedModel(tokenizer: tokenizer, saying: said, after: prompt.count))
        var options = greedy
        options.stop = ["y"]
        let completion = try await complete(runner, CompletionRequest(.tokens(prompt), options: options))
        #expect(completion.message.text == "one the x")
        let known = try #require(completion.info.probabilities)
        #expect(String(decoding: known.flatMap(\.chosen.bytes), as: UTF8.self) == completion.message.text)
    }

    @Test("A schema that takes too long to prepare is refused, and a reply under it is not a late one")
    func schemaTime() async throws {
        let runner = try ScriptedRunners.runner(saying: "{}")
        var options = GenerationOptions(temperature: 0, maxTokens: 20)
        options.jsonSchemaConstraint = .object(["a": .string()])
        options.schemaTimeout = .zero
        let error = await #expect(throws: ConversationError.self) {
            try await runner.generate(
                GenerationRequest(messages: [.user("hello")], options: options), to: ResponseWriter { _ in })
        }
        #expect(error?.code == .invalidInput && error?.message.hasPrefix("The schema") == true)
        options.schemaTimeout = .seconds(900)
        _ = try await runner.generate(
            GenerationRequest(messages: [.user("hello")], options: options), to: ResponseWriter { _ in })
    }
}
