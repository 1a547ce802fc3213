// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyRuntime
import ParleyTensor
import Testing

@Suite struct QuantizedAttentionTests {
    private static let shape = ParleyTensor.AttentionShape(heads: 3, kvHeads: 3, headWidth: 64, scale: 0.125)

    /// Rows of queries, keys and values, and a bias for each key.
    private struct Input {
        let rows: Int
        let values: [[Float]]
        let bias: [Float]

        init(rows: Int) {
            var random = SplitMix64(seed: UInt64(rows))
            self.rows = rows
            values = (0..<3).map { _ in (0..<rows * 192).map { _ in Float.random(in: -2...2, using: &random) } }
            bias = (0..<rows).map { Float($0 % 9) / 4 }
        }

        func attend(
            lanes: Int, set: InstructionSet = .best, hasBias: Bool = true, memory: QuantizedAttention? = nil
        ) throws -> [Float] {
            let pool = WorkerPool(lanes: lanes, instructionSet: set)
            let memory = try memory ?? QuantizedAttentionTests.memory(capacity: rows, lanes: pool.laneCount)
            let buffers = try (values + [[Float](repeating: 0, count: rows * 192), bias]).map { values in
                let buffer = try AlignedBuffer(byteCount: values.count * 4)
                buffer.floats.update(from: values, count: values.count)
                return buffer
            }
            let views = buffers.prefix(4).map { FloatRows(pointer: $0.floats, count: rows, width: 192) }
            pool.run(isLong: true) { lane in
                lane.attendToAll(
                    q: views[0], k: views[1], v: views[2], into: views[3], shape: QuantizedAttentionTests.shape,
                    keyBias: hasBias ? buffers[4] : nil, memory: memory)
            }
            return withExtendedLifetime(buffers) {
                Array(UnsafeBufferPointer(start: buffers[3].floats, count: rows * 192))
            }
        }

        func exact(hasBias: Bool = true) -> [Double] {
            var result = [Double](repeating: 0, count: rows * 192)
            for row in 0..<rows {
                for head in 0..<3 {
                    let scores = (0..<rows).map { other in
                        (0..<64).reduce(hasBias ? Double(bias[other]) : 0) { sum, column in
                            let (query, key) = (row * 192 + head * 64 + column, other * 192 + head * 64 + column)
                            return sum + 0.125 * Double(values[0][query]) * Double(values[1][key])
                        }
                    }
                    let highest = scores.max() ?? 0
                    let weights = scores.map { exp($0 - highest) }
                    let sum = weights.reduce(0, +)
                    for column in 0..<64 {
                        result[row * 192 + head * 64 + column] = (0..<rows).reduce(0.0) {
                            $0 + weights[$1] / sum * Double(values[2][$1 * 192 + head * 64 + column])
                        }
                    }
                }
            }
            return result
        }
    }

    @Test("Attention in 8 bits is near the exact one", arguments: [1, 7, 64, 65, 256, 257, 300])
    func near(rows: Int) throws {
        let input = Input(rows: rows)
        for hasBias in [true, false] {
            let pairs = zip(try input.attend(lanes: 2, hasBias: hasBias), input.exact(hasBias: hasBias))
            let errors = pairs.map { abs(Double($0) - $1) }
            let (worst, mean) = (errors.max() ?? 1, errors.reduce(0, +) / Double(errors.count))
            #expect(worst < 0.08 && mean < 0.005, "\(worst), \(mean)")
        }
    }

    @Test(
        "Neither threads, room nor instruction sets change a bit",
        arguments: InstructionSet.allCases.filter(\.isAvailable))
    func invariance(set: InstructionSet) throws {
        let input = Input(rows: 70)
        let expected = try input.attend(lanes: 1, set: .generic)
        #expect(try input.attend(lanes: 1, set: set) == expected)
        // Nothing is left of a longer text that the memory was used for.
        let memory = try Self.memory(capacity: 310, lanes: 3)
        _ = try Input(rows: 300).attend(lanes: 3, set: set, memory: memory)
        #expect(try input.attend(lanes: 3, set: set, memory: memory) == expected)
    }

    private static func memory(capacity: Int, lanes: Int) throws -> QuantizedAttention {
        try #require(try QuantizedAttention(capacity: capacity, heads: 3, headWidth: 64, lanes: lanes))
    }

    @Test("Heads that are not made of panels of 16 have none")
    func narrow() throws {
        #expect(try QuantizedAttention(capacity: 10, heads: 1, headWidth: 24, lanes: 1) == nil)
    }
}
