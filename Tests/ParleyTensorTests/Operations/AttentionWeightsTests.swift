// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyRuntime
import ParleyTensor
import Testing

@Suite struct AttentionWeightsTests {
    @Test(
        "The weights of a head are those of its keys in either form of the cache, on any number of lanes",
        arguments: [CacheFormat.f16, .q8_0], [1, 3])
    func weights(format: CacheFormat, lanes: Int) throws {
        let (heads, width, rows, positions, head) = (3, 72, 5, 37, 1)
        let shape = ParleyTensor.AttentionShape(heads: heads, kvHeads: heads, headWidth: width, scale: 0.2)
        let pool = WorkerPool(lanes: lanes)
        var random = SplitMix64(seed: 7)
        let (queries, keys) = (random.floats(rows * heads * width), random.floats(positions * heads * width))
        let bias = (0..<48).map { Float($0 % 5) / 3 }
        let buffers = try [queries, keys, bias, [Float](repeating: 0, count: rows * positions)].map { values in
            let buffer = try AlignedBuffer(byteCount: values.count * MemoryLayout<Float>.stride)
            buffer.floats.update(from: values, count: values.count)
            return buffer
        }
        let q = FloatRows(pointer: buffers[0].floats, count: rows, width: heads * width)
        let k = FloatRows(pointer: buffers[1].floats, count: positions, width: heads * width)
        let y = FloatRows(pointer: buffers[3].floats, count: rows, width: positions)
        let cache = try KeyValueCache(capacity: 40, kvHeads: heads, headWidth: width, format: format)
        pool.run { lane in
            lane.store(k: k, v: k, valueBias: nil, shape: shape, from: 0, in: cache)
            lane.attentionWeights(
                q: q, head: head, shape: shape, positions: positions, of: cache, keyBias: buffers[2], into: y)
        }
        for row in 0..<rows {
            let scores = (0..<positions).map { position in
                (0..<width).reduce(Double(bias[position])) { sum, column in
                    let (query, key) = ((row * heads + head) * width, (position * heads + head) * width)
                    return sum + 0.2 * Double(queries[query + column]) * Double(keys[key + column])
                }
            }
            let sum = scores.map(exp).reduce(0, +)
            for position in 0..<positions {
                #expect(abs(Double(y.row(row)[position]) - exp(scores[position]) / sum) < 0.02)
            }
            #expect(abs((0..<positions).map { y.row(row)[$0] }.reduce(0, +) - 1) < 1e-5)
        }
        withExtendedLifetime(buffers) {}
    }
}
