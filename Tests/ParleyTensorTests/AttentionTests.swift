// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

@Suite struct AttentionTests {
    static let shapes = [
        AttentionShape(rows: 1, heads: 1, kvHeads: 1, headDim: 8, valueDim: 8, position: 0),
        AttentionShape(rows: 1, heads: 9, kvHeads: 3, headDim: 64, valueDim: 64, position: 999),
        AttentionShape(rows: 33, heads: 9, kvHeads: 3, headDim: 64, valueDim: 64, position: 0),
        AttentionShape(rows: 5, heads: 4, kvHeads: 1, headDim: 256, valueDim: 256, position: 300, window: 128),
        AttentionShape(rows: 40, heads: 2, kvHeads: 1, headDim: 16, valueDim: 24, position: 7, window: 3),
        AttentionShape(rows: 7, heads: 9, kvHeads: 1, headDim: 24, valueDim: 40, position: 130, softcap: 5),
        AttentionShape(rows: 3, heads: 14, kvHeads: 2, headDim: 80, valueDim: 96, position: 61, window: 1),
        AttentionShape(rows: 17, heads: 5, kvHeads: 5, headDim: 40, valueDim: 88, position: 500, window: 490),
        AttentionShape(rows: 2, heads: 16, kvHeads: 2, headDim: 128, valueDim: 128, position: 255, softcap: 30),
        AttentionShape(rows: 1, heads: 3, kvHeads: 3, headDim: 32, valueDim: 32, position: 0, seesAll: true),
        AttentionShape(rows: 21, heads: 4, kvHeads: 4, headDim: 32, valueDim: 32, position: 0, seesAll: true),
        AttentionShape(rows: 70, heads: 6, kvHeads: 2, headDim: 24, valueDim: 40, position: 0, seesAll: true),
        AttentionShape(rows: 9, heads: 6, kvHeads: 1, headDim: 32, valueDim: 16, position: 15, window: 16),
        AttentionShape(
            rows: 37, heads: 3, kvHeads: 3, headDim: 64, valueDim: 64, position: 0, seesAll: true, hasKeyBias: true),
        AttentionShape(rows: 4, heads: 4, kvHeads: 2, headDim: 40, valueDim: 24, position: 29, hasKeyBias: true),
        AttentionShape(rows: 1, heads: 9, kvHeads: 3, headDim: 64, valueDim: 64, position: 999, type: PARLEY_Q8_0),
        AttentionShape(rows: 33, heads: 9, kvHeads: 3, headDim: 64, valueDim: 64, position: 0, type: PARLEY_Q8_0),
        AttentionShape(
            rows: 5, heads: 4, kvHeads: 1, headDim: 256, valueDim: 256, position: 300, window: 128, type: PARLEY_Q8_0),
        AttentionShape(rows: 7, heads: 8, kvHeads: 1, headDim: 24, valueDim: 40, position: 130, type: PARLEY_Q8_0),
        AttentionShape(
            rows: 17, heads: 5, kvHeads: 5, headDim: 40, valueDim: 88, position: 500, window: 490, type: PARLEY_Q8_0),
        AttentionShape(
            rows: 19, heads: 6, kvHeads: 2, headDim: 64, valueDim: 64, position: 40, window: 24, hasSinks: true),
        AttentionShape(rows: 1, heads: 8, kvHeads: 1, headDim: 64, valueDim: 64, position: 3, hasSinks: true),
    ]

    @Test("Attention is softmax of scaled, capped scores over the window times the values", arguments: shapes)
    func reference(shape: AttentionShape) throws {
        let fixture = AttentionFixture(shape)
        // The canaries between the rows are part of the comparison.
        #expect(opsError(try fixture.attend(.generic), fixture.exact()) < 3e-6)
    }

    @Test("Every instruction set gives the portable bits", arguments: OpsInstructionSet.available, shapes)
    func instructionSets(set: OpsInstructionSet, shape: AttentionShape) throws {
        let fixture = AttentionFixture(shape, seed: 2)
        #expect(try fixture.attend(set).bits == fixture.attend(.generic).bits)
    }

    @Test("Every instruction set gives the portable bits on random shapes", arguments: OpsInstructionSet.available)
    func randomShapes(set: OpsInstructionSet) throws {
        var random = SplitMix64(seed: 5)
        for seed in 0..<90 {
            let kvHeads = random.int(in: 1...3), group = random.int(in: 1...9)
            let shape = AttentionShape(
                rows: random.int(in: 1...12), heads: kvHeads * group, kvHeads: kvHeads,
                headDim: 8 * random.int(in: 1...12), valueDim: 8 * random.int(in: 1...12),
                position: random.int(in: 0...150), window: random.int(in: 0...1) * random.int(in: 1...160),
                softcap: random.int(in: 0...3) == 0 ? 20 : 0, type: seed.isMultiple(of: 2) ? PARLEY_F16 : PARLEY_Q8_0)
            let fixture = AttentionFixture(shape, seed: UInt64(seed))
            #expect(try fixture.attend(set).bits == fixture.attend(.generic).bits, "\(shape)")
        }
    }

    @Test("Splitting by rows and heads does not change a bit", arguments: OpsInstructionSet.available, shapes)
    func splits(set: OpsInstructionSet, shape: AttentionShape) throws {
        let fixture = AttentionFixture(shape, seed: 3)
        let whole = try fixture.attend(set).bits
        let rows = 0..<shape.rows, heads = 0..<shape.heads
        let singles = rows.flatMap { row in heads.map { (rows: row..<row + 1, heads: $0..<$0 + 1) } }
        #expect(try fixture.attend(set, parts: singles.reversed()).bits == whole)
        for cut in [1, 2, 3, 5, 8] where cut <= shape.heads {
            #expect(try fixture.attend(set, parts: [(rows, 0..<cut), (rows, cut..<shape.heads)]).bits == whole)
        }
        for cut in [1, 3, 16] where cut <= shape.rows {
            #expect(try fixture.attend(set, parts: [(0..<cut, heads), (cut..<shape.rows, heads)]).bits == whole)
        }
    }

    @Test("A row is the same in a chunk and decoded alone", arguments: OpsInstructionSet.available)
    func chunks(set: OpsInstructionSet) throws {
        let chunk = AttentionShape(rows: 20, heads: 6, kvHeads: 2, headDim: 64, valueDim: 64, position: 30, window: 40)
        let whole = AttentionFixture(chunk)
        let expected = try whole.attend(set)
        for row in 0..<chunk.rows {
            var shape = chunk
            shape.rows = 1
            shape.position += row
            let begin = row * chunk.qStride
            let q = Array(whole.q[begin..<begin + chunk.qStride])
            let alone = AttentionFixture(shape, q: q, keys: whole.keys, values: whole.values)
            let y = try alone.attend(set)
            #expect(y.bits == Array(expected[row * chunk.yStride..<(row + 1) * chunk.yStride]).bits)
        }
    }

    @Test("A NaN in a key or value affects only the rows that attend to it", arguments: OpsInstructionSet.available)
    func strangers(set: OpsInstructionSet) throws {
        let shape = AttentionShape(rows: 6, heads: 2, kvHeads: 1, headDim: 16, valueDim: 16, position: 40, window: 20)
        let clean = AttentionFixture(shape), expected = try clean.attend(set)
        for position in [21, 23, 30, 43, 45] {
            var keys = clean.keys, values = clean.values
            keys[position / 16 * 16 * 16 + position % 16] = AttentionFixture.notANumber
            values[position * 16] = AttentionFixture.notANumber
            for fixture in [
                AttentionFixture(shape, q: clean.q, keys: keys, values: clean.values),
                AttentionFixture(shape, q: clean.q, keys: clean.keys, values: values),
            ] {
                let y = try fixture.attend(set)
                for row in 0..<shape.rows {
                    let first = row * shape.yStride
                    if shape.visible(row).contains(position) {
                        #expect(y[first].isNaN)
                    } else {
                        #expect(y[first..<first + 32] == expected[first..<first + 32])
                    }
                }
            }
        }
    }

    @Test("A score of minus infinity has no weight", arguments: OpsInstructionSet.available)
    func infiniteScores(set: OpsInstructionSet) throws {
        let shape = AttentionShape(rows: 1, heads: 1, kvHeads: 1, headDim: 8, valueDim: 8, position: 2)
        var keys = [UInt16](repeating: 0, count: 16 * 8), values = keys
        keys[1] = parley_f32_to_f16(-65504)  // position 1, first dimension: the score overflows
        for d in 0..<8 {
            values[d] = parley_f32_to_f16(1)
            values[8 + d] = parley_f32_to_f16(1000)
            values[16 + d] = parley_f32_to_f16(3)
        }
        let q = [Float](repeating: 3e38, count: shape.qStride)
        let fixture = AttentionFixture(shape, q: q, keys: keys, values: values)
        #expect(try fixture.attend(set)[..<8].allSatisfy { $0 == 2 })
    }
}
