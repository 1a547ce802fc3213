// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleySystem
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Encoders in the native engine", .timeLimit(.minutes(15)))
struct NativeEmbeddingModelTests {
    /// What `scripts/reference/embeddings/record_tiny_bert.py` recorded of transformers.
    struct Golden: Decodable {
        var texts: [[TokenID]]
        var vectors: [String: [[Float]]]
    }

    private let texts = [1, 2, 15, 16, 17, 40, 33, 200].map { randomTokens($0, vocabulary: 71, seed: UInt64($0)) }

    @Test(
        "Vectors are those of the reference implementation, for each pooling and instruction set",
        arguments: InstructionSet.allCases.filter(\.isAvailable), [("mean", 1), ("first", 2), ("last", 3)])
    func golden(set: InstructionSet, pooling: (name: String, number: UInt32)) async throws {
        let golden = try References.golden("tiny-bert", as: Golden.self)
        var writer = TinyModel(.bert).writer()
        writer.set("bert.pooling_type", .uint32(pooling.number))
        let model = try await NativeEmbeddingModel.load(writer, threads: 2, instructionSet: set)
        let vectors = try await model.embed(golden.texts)
        let expected = try #require(golden.vectors[pooling.name])
        try #require(vectors.count == expected.count)
        for (vector, expected) in zip(vectors, expected) {
            try #require(vector.count == expected.count)
            // The rest is the tanh form of the activation, and keys and values in half precision.
            #expect(zip(vector, expected).allSatisfy { abs($0 - $1) < 2e-3 })
            #expect(dot(vector, expected) > 0.999_99)
            #expect(abs(dot(vector, vector) - 1) < 1e-5)
        }
    }

    @Test("The bits of a vector depend neither on other texts and calls nor on threads", arguments: [1, 2, 3])
    func invariance(threads: Int) async throws {
        let alone = try await NativeEmbeddingModel.load(TinyModel(.bert).writer())
        var expected: [[Float]] = []
        for text in texts { expected += try await alone.embed([text]) }
        let model = try await NativeEmbeddingModel.load(TinyModel(.bert).writer(), threads: threads)
        #expect(try await model.embed(texts) == expected)
        #expect(try await model.embed(texts.reversed()) == expected.reversed())
        let (texts, right) = (texts, expected)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { try await model.embed(texts) == right } }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("A text that is too long is refused with its length, and cut only if asked")
    func longTexts() async throws {
        let model = try await NativeEmbeddingModel.load(TinyModel(.bert).writer(), context: 100)
        #expect(model.context == 100)
        let tokens = model.tokens(of: String(repeating: "a ", count: 200))
        #expect(tokens.count == 202)
        let error = await #expect(throws: RuntimeError.self) { try await model.embed([[2, 3], tokens]) }
        #expect(error?.code == .contextExceeded)
        #expect(error?.message.contains("Text 2 has 202 tokens") == true)
        #expect(error?.message.contains("100") == true)
        let cut = model.truncated(tokens)
        #expect(cut.count == 100 && cut.first == 2 && cut.last == 3)
        #expect(try await model.embed([cut]).count == 1)
        #expect(model.truncated([2, 3]) == [2, 3])
    }

    @Test("Texts without tokens or with tokens beyond the vocabulary are refused")
    func invalidTexts() async throws {
        let model = try await NativeEmbeddingModel.load(TinyModel(.bert).writer())
        for text in [[], [71], [-1], [TokenID.max]] {
            let error = await #expect(throws: RuntimeError.self) { try await model.embed([text]) }
            #expect(error?.code == .invalidInput)
        }
        #expect(try await model.embed([]).isEmpty)
    }

    @Test("A cancelled call ends, and others go on")
    func cancelling() async throws {
        let model = try await NativeEmbeddingModel.load(TinyModel(.bert).writer())
        let long = Array(repeating: randomTokens(256, vocabulary: 71), count: 20_000)
        let task = Task { try await model.embed(long) }
        let short = try await model.embed([[2, 10, 3]])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await model.embed([[2, 10, 3]]) == short)
    }

    @Test("Scratch memory is reserved for the longest text, used as steps grow, and freed with the model")
    func memory() async throws {
        let ledger = MemoryLedger { MachineMemory(physical: .max, available: .max) }
        let model = try await NativeEmbeddingModel.load(TinyModel(.bert).writer(), ledger: ledger)
        let plan = model.memoryPlan
        #expect(model.context == 512 && plan.trainedContext == 512)
        #expect(plan.cache(context: 256) == .zero)
        let scratch = plan.scratch(context: 512) + plan.cache(context: 512)
        #expect(ledger.unwrittenBytes == scratch.count, "the weights are there")
        _ = try await model.embed([randomTokens(256, vocabulary: 71)])
        #expect(ledger.unwrittenBytes == scratch.count / 2)
        _ = try await model.embed([randomTokens(512, vocabulary: 71)])
        #expect(ledger.unwrittenBytes == 0)
    }

    @Test("The engine's thread ends with the model, and what waits is refused")
    func lifetime() async throws {
        let lifetime: ModelLifetime
        do {
            let model = try await NativeEmbeddingModel.load(TinyModel(.bert).writer())
            lifetime = try #require(model.lifetime)
            #expect(!lifetime.isEnding)
            _ = try await model.embed([[2, 3]])
        }
        #expect(lifetime.isEnding)
        await lifetime.waitUntilFreed()
    }

    @Test("A machine without the memory is refused, with the sum")
    func insufficientMemory() async throws {
        var tiny = TinyModel(.bert)
        tiny.feedForward = 4_096
        let small = MemoryLedger { MachineMemory(physical: 8 << 20, available: 8 << 20) }
        let error = await #expect(throws: RuntimeError.self) {
            _ = try await NativeEmbeddingModel.load(tiny.writer(), ledger: small)
        }
        #expect(error?.code == .insufficientMemory)
        #expect(error?.message.contains("weights") == true)
    }

    @Test("An encoder does not load as a model that writes, and the error tells what it is for")
    func chatting() async throws {
        let writer = TinyModel(.bert).writer()
        let error = await #expect(throws: RuntimeError.self) { _ = try await NativeModel.load(writer) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("parley embed") == true)
    }

    @Test(
        "Files without pooling, of other kinds, or of decoders make no embeddings",
        arguments: [
            ("bert.pooling_type", GGUFWriter.Value.uint32(0)), ("bert.pooling_type", .uint32(4)),
            ("bert.attention.causal", .bool(true)), ("general.architecture", .string("llama")),
        ])
    func refusals(key: String, value: GGUFWriter.Value) async throws {
        var writer = TinyModel(.bert).writer()
        writer.set(key, value)
        let url = URL.temporary(".gguf")
        try writer.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(NativeEmbeddingModel.refusal(of: url) != nil)
        await #expect(throws: (any Error).self) { _ = try await NativeEmbeddingModel.load(url) }
    }

    @Test("A missing or misshapen tensor is refused by the header, but for biases of products")
    func tensors() async throws {
        let complete = TinyModel(.bert).writer()
        var optional = 0
        for index in complete.tensors.indices {
            var writer = complete
            let tensor = writer.tensors.remove(at: index)
            let url = URL.temporary(".gguf")
            try writer.write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let isOptional =
                tensor.name.hasSuffix(".bias") && !tensor.name.contains("norm") || tensor.name.hasPrefix("token_types")
            #expect((NativeEmbeddingModel.refusal(of: url) == nil) == isOptional, "\(tensor.name)")
            optional += isOptional ? 1 : 0
        }
        #expect(optional == 13)
    }

    private func dot(_ left: [Float], _ right: [Float]) -> Float {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
    }
}

extension NativeEmbeddingModel {
    /// Loads a model from a file that exists only during loading.
    static func load(
        _ writer: GGUFWriter, context: Int? = nil, threads: Int = 1, instructionSet: InstructionSet = .best,
        ledger: MemoryLedger = .process
    ) async throws -> NativeEmbeddingModel {
        let url = URL.temporary(".gguf")
        try writer.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var configuration = EngineConfiguration(context: context, threads: threads, instructionSet: instructionSet)
        configuration.ledger = ledger
        return try await load(url, configuration: configuration)
    }
}
