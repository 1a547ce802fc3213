// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor
import ParleyTesting
import Testing

@Suite("Transformer layer")
struct TransformerLayerTests {
    @Test("a layer runs without an engine, and its rows do not depend on other rows in the step", arguments: [1, 2])
    func runsAlone(lanes: Int) throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let hyper = try Hyperparameters(file)
        let pool = WorkerPool(lanes: lanes, instructionSet: .best)
        try pool.reserve(positions: 16, columns: StepScratch.widestRow(hyper))
        let loader = ModelLoader(
            file: file, hyperparameters: hyper, context: 16, pool: pool, locksMemory: false, isCancelled: { false },
            progress: { _ in })
        let embedding = try TokenEmbedding(loader)
        let rotation = try loader.rotation(pairing: .adjacent)
        let layer = try TransformerLayer(
            loader, index: 0, attention: SelfAttention(loader, layer: 0),
            feedForward: FeedForwardBranch(loader, layer: 0))
        let scratch = try StepScratch(hyper, lanes: pool.laneCount)

        func hidden(_ tokens: [Int32], at position: Int, _ cache: SequenceCache) -> [Float] {
            tokens.withUnsafeBufferPointer { tokens in
                var step = ModelStep(scratch: scratch)
                step.tokens = tokens
                step.sequences = [SequenceRows(rows: 0..<tokens.count, position: position)]
                step.caches = [cache]
                let complete = step
                pool.run { lane in
                    embedding.run(complete, on: lane)
                    lane.computeAngles(rotation, sequences: complete.sequences, into: complete.angles)
                    layer.run(complete, layer: 0, angles: complete.angles, pairing: rotation.pairing, on: lane)
                }
                return (0..<tokens.count).flatMap { row in
                    Array(UnsafeBufferPointer(start: complete.finalHidden.row(row), count: hyper.width))
                }
            }
        }

        let whole = try hidden([1, 2, 3, 4, 5, 6], at: 0, SequenceCache(hyper.memories(.f16), capacity: 16))
        let cache = try SequenceCache(hyper.memories(.f16), capacity: 16)
        let parts = hidden([1, 2, 3, 4, 5], at: 0, cache) + hidden([6], at: 5, cache)
        #expect(whole.allSatisfy { $0.isFinite })
        #expect(whole.map(\.bitPattern) == parts.map(\.bitPattern))
    }

    @Test("a damaged file is refused without an engine too")
    func refusesDamage() throws {
        var writer = TinyModel().writer()
        writer.set("llama.block_count", .uint32(0))
        let damaged = try GGUFFile(bytes: writer.encoded()[...])
        let error = #expect(throws: NetworkError.self) { try Hyperparameters(damaged) }
        #expect(error?.code == .invalidFile)
    }
}
