// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import Parley
import ParleyConstraint
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTemplate
import ParleyTesting
import ParleyTokenizer

// The examples in the comments of what lies below the SDK, word for word.

private func show(_ value: some Any) {}
private func log(_ text: String) {}

private func constraining(
    _ program: ConstraintProgram, _ tokenizer: Tokenizer, _ logits: UnsafeMutableBufferPointer<Float>,
    _ mask: inout TokenMask, _ sampler: inout Sampler
) throws {
    var constraint = Constraint(TokenMasks(program, TokenTrie(tokenizer)))
    try constraint.allow(into: &mask)
    if let token = sampler.sample(logits, mask: mask) { constraint.accept(token) }
}

private func members() {
    var arguments: JSONObject = ["city": "Bern", "days": 2]
    arguments["days"] = 3
    for (name, value) in arguments { print(name, value) }
}

private func constraintProgram() throws {
    let schema = try JSONValue(parsing: #"{"type": "object", "properties": {"age": {"type": "integer"}}}"#)
    let program = try ConstraintProgram(schema: schema)
    program.accepts(Array(#"{"age": 7}"#.utf8))  // true
}

private func grammar() throws {
    let answer = Grammar.sequence([.literal("Answer: "), .choice([.literal("yes"), .literal("no")])])
    show(answer)
}

private func jsonValue() throws {
    let value = try JSONValue(parsing: #"{"name": "add", "arguments": {"a": 1, "b": 2.0}}"#)
    let name = value["name"]?.string  // "add"
    let text = value["arguments"]?.text()  // {"a":1,"b":2.0}
    show((name, text))
}

private enum Engines {
    func engine(for file: URL, among engines: [EngineDescriptor]) throws -> EngineDescriptor {
        let choice = try EngineChoice(for: file, among: engines)
        for reason in choice.passedOver { log("\(reason)") }
        return choice.engine
    }

    func greet(_ model: any TokenModel) async throws -> String {
        let runner = try LocalModelRunner(model)
        let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
        return try await conversation.reply(to: "Hello!").completion.message.text
    }

    func open(_ slots: ModelSlots) async throws -> Conversation? {
        try await slots.load("smollm2-135m", for: .text)
        return await slots.runner(for: .text)?.createConversation(systemPrompt: "Answer briefly.")
    }
}

private func loading() async throws {
    let runner = try await LocalModelRunner.load("qwen3-0.6b:Q4_K_M") { progress in show(progress) }
    let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
    for try await response in conversation.reply(to: "What is the capital of France?") {
        if case .chunk(let text) = response { show(text) }
    }
}

private func embedding(_ url: URL) async throws {
    let model = try await NativeEmbeddingModel.load(url)
    let vectors = try await model.embed([model.tokens(of: "A text")])
    show(vectors)
}

private func embedder() async throws {
    let embedder = try await LocalEmbedder.load("all-minilm-l6-v2.gguf")
    let texts = ["How do I reset my password?", "I cannot log in.", "The weather is fine."]
    let vectors = try await embedder.embed(texts)
    let likeness = vectors[0].similarity(to: vectors[1])
    show(likeness)
}

private func nativeModel(_ url: URL) async throws {
    let model = try await NativeModel.load(url)
    let timeline = try model.makeTimeline()
    show(timeline)
}

private func generation(_ prompt: ModelInput, _ timeline: any TokenTimeline, _ model: any TokenModel) async throws {
    func write(_ text: String) {}
    var generation = try Generation(of: prompt, on: timeline, model: model)
    var text = StreamingDetokenizer(model.tokenizer, startsText: false)
    while let token = try await generation.next() { write(text.append(token)) }
    write(text.finish())
    show(generation.statistics.tokensPerSecond)
}

private func ggufFile() throws {
    let file = try GGUFFile(contentsOf: URL(filePath: "smollm2-135m.gguf"))
    let layers = file.metadata["llama.block_count"]?.unsigned
    let tokenizer = try Tokenizer(file.tokenizerDescription())
    show((layers, tokenizer))
}

private func models() async throws {
    let entry = Catalog.builtIn["qwen3-0.6b"]
    let reference = try ModelReference(parsing: "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
    show((entry, reference))
}

private func resolving() async throws {
    let resolver = ModelResolver()
    let manifest = try await resolver.manifest(of: ModelReference(parsing: "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0"))
    show(manifest)
}

private func requesting(_ url: URL) async throws {
    let client: any HTTPClient = URLSessionClient()
    let page = try await client.answer(to: HTTPRequest(url), upTo: 1 << 20)
    show(page)
}

private func storing() async throws {
    let store = ModelStore.standard()
    let model = try await store.install("hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
    show(model)
}

private func chatTemplate() throws {
    let template = try ChatTemplate(source: "{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}")
    let segments = try template.render(["messages": [["content": "<|im_start|>"]]])
    // segments[0] is .template, segments[1] with the same text is .input
    show(segments)
}

private func ggufWriter(_ url: URL) throws {
    var writer = GGUFWriter()
    writer.set("general.architecture", .string("llama"))
    let zeros = [UInt8](repeating: 0, count: 32)
    writer.tensors.append(.init(name: "output_norm.weight", typeCode: 0, dimensions: [8], bytes: zeros))
    try writer.write(to: url)
}

private func tinyModel(_ url: URL) throws {
    var model = TinyModel(.gemma3)
    model.encoding = .q8_0
    try model.write(to: url)
}

private func detokenizing(_ ids: [TokenID], _ tokenizer: Tokenizer) {
    var detokenizer = StreamingDetokenizer(tokenizer)
    for id in ids { show(detokenizer.append(id)) }
    show(detokenizer.finish())
}

private func tokenizing(_ description: TokenizerDescription) throws {
    let tokenizer = try Tokenizer(description)
    let ids = tokenizer.encode("Hello, world!")
    let text = tokenizer.decode(ids)
    show(text)
}
