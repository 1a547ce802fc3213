// SPDX-License-Identifier: Apache-2.0

import ParleyLlamaCpp
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import Testing

@Suite("Memory plan for llama.cpp")
struct LlamaCppMemoryPlanTests {
    private func plan(_ entries: [GGUFWriter.Entry] = []) throws -> LlamaCppMemoryPlan {
        var writer = TinyModel().writer()
        for entry in entries { writer.set("llama.\(entry.key)", entry.value) }
        return try LlamaCppMemoryPlan(GGUFFile(bytes: writer.encoded()[...]))
    }

    private func memory(_ available: Int) -> MachineMemory {
        MachineMemory(physical: 64 << 20, available: available)
    }

    @Test("keys and values are counted in whole blocks, for all sequences")
    func counts() throws {
        let plan = try plan()
        // Two layers of two heads of 16, for keys and values, in two bytes each.
        #expect(plan.bytesPerToken.count == 2 * 2 * (16 + 16) * 2)
        #expect(plan.cache(context: 1, sequences: 1) == plan.bytesPerToken * 256)
        #expect(plan.cache(context: 256, sequences: 3) == plan.bytesPerToken * (3 * 256))
        #expect(plan.cache(context: 257, sequences: 2) == plan.bytesPerToken * (2 * 512))
        #expect(plan.total(context: 1, sequences: 1) == plan.weights + plan.scratch + plan.bytesPerToken * 256)
    }

    @Test("a projector's file counts, and the rows of a whole image, which have no logits")
    func projector() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let (text, sees) = (try LlamaCppMemoryPlan(file), try LlamaCppMemoryPlan(file, projector: file))
        #expect((text.rows, text.projector) == (256, .zero))
        #expect((sees.rows, sees.projector) == (2_048, sees.weights))
        let width = try #require(file.metadata["llama.embedding_length"]?.unsigned)
        #expect(sees.scratch.count - text.scratch.count == (2_048 - 256) * width * 8 * 4)
        #expect(
            sees.total(context: 256, sequences: 1) == text.total(context: 256, sequences: 1) + sees.weights
                + ByteSize(clamping: sees.scratch.count - text.scratch.count))
        let error = #expect(throws: RuntimeError.self) {
            try sees.choose(.init(context: 256), memory: memory(1_000), name: "m.gguf")
        }
        #expect(error?.message.contains("projector") == true)
    }

    @Test("sizes that overflow do not fit into any memory")
    func overflows() throws {
        let huge = GGUFWriter.Value.uint32(.max)
        let plan = try plan([
            .init("block_count", huge), .init("attention.head_count_kv", huge), .init("attention.key_length", huge),
            .init("attention.value_length", huge), .init("embedding_length", huge), .init("context_length", huge),
        ])
        #expect(plan.bytesPerToken == .limit)
        for (context, sequences) in [(1 << 24, 64), (.max, 1), (.max, .max), (1, .max)] as [(Int, Int)] {
            #expect(plan.cache(context: context, sequences: sequences) == .limit)
            #expect(plan.total(context: context, sequences: sequences) == .limit)
        }
        for context in [0, -1, Int.min] { #expect(plan.cache(context: context, sequences: 1) == 0) }
        for sequences in [0, -1, Int.min] { #expect(plan.cache(context: 256, sequences: sequences) == 0) }
        for context in [nil, 1, 1 << 24] {
            let error = #expect(throws: RuntimeError.self) {
                try plan.choose(.init(context: context), memory: memory(1 << 40), name: "m.gguf")
            }
            #expect(error?.code == .insufficientMemory)
        }
    }

    @Test("requests for too much memory are refused")
    func refuses() throws {
        let plan = try plan()
        for (context, sequences) in [
            (0, 1), (-1, 1), (.max, 1), (.min, 1), ((1 << 24) + 1, 1), (256, 0), (256, -1), (256, 65), (256, .max),
        ] as [(Int, Int)] {
            let error = #expect(throws: RuntimeError.self) {
                try plan.choose(
                    .init(context: context, sequences: sequences), memory: memory(.max), name: "m.gguf")
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("with too little memory there are first fewer sequences, then a shorter context, then an error with the sum")
    func chooses() throws {
        let plan = try plan([.init("context_length", .uint32(4_096))])
        let rest = (plan.weights + plan.scratch).count
        func chosen(_ configuration: LlamaCppConfiguration, _ available: Int) throws -> [Int] {
            let (context, sequences) = try plan.choose(configuration, memory: memory(available), name: "m.gguf")
            return [context, sequences]
        }
        let one = plan.cache(context: 4_096, sequences: 1).count
        #expect(try chosen(.init(), rest + 4 * one) == [4_096, 4])
        #expect(try chosen(.init(), rest + 4 * one - 1) == [4_096, 3])
        #expect(try chosen(.init(), rest + one) == [4_096, 1])
        #expect(try chosen(.init(), rest + one - 1) == [3_840, 1])
        let error = #expect(throws: RuntimeError.self) { try chosen(.init(context: 4_096), rest + one - 1) }
        #expect(error?.code == .insufficientMemory)
        #expect(error?.message.contains("--context 3840") == true)
        #expect(throws: RuntimeError.self) { try chosen(.init(), rest) }
        #expect(throws: RuntimeError.self) { try chosen(.init(), 0) }
    }
}
