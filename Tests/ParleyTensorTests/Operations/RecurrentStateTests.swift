// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTensor
import Testing

@Suite("Recurrent state")
struct RecurrentStateTests {
    private let channels = 40
    private let taps = 3

    private var shape: RecurrentShape { RecurrentShape(channels: channels, taps: taps) }

    @Test("a state has the announced size in bytes", arguments: [1, 31, 32, 33, 500, 8_192])
    func takesBytes(capacity: Int) throws {
        let state = try RecurrentState(capacity: capacity, shape: shape)
        let announced = RecurrentState.byteCount(capacity: capacity, shape: shape)
        #expect(state.byteCount == announced)
        #expect(announced == (capacity / 32 + 2) * 2 * channels * 4)
    }

    @Test(
        "what is saved of a large state takes about as much memory for a position as keys and values would",
        arguments: [(1, 16, 32), (4, 64, 32), (4, 128, 128), (16, 128, 512), (32, 128, 1_024), (128, 256, 1_024)])
    func interval(heads: Int, width: Int, interval: Int) {
        let shape = RecurrentShape(channels: 8, taps: 2, heads: heads, keyWidth: width, valueWidth: width)
        #expect(shape.interval == interval)
    }

    @Test("after rewinding, the same input gives the same output", arguments: [1, 2, 5])
    func restores(lanes: Int) throws {
        let pool = WorkerPool(lanes: lanes)
        var random = SplitMix64(seed: 3)
        let input = random.floats(100 * channels)
        let weight = random.floats(channels * taps)
        let state = try RecurrentState(capacity: 100, shape: shape)
        let whole = try convolve(input, weight, 0..<100, state, pool)
        #expect(whole == direct(input, weight))
        for (cut, pieces) in [(96, [96..<100]), (32, [32..<33, 33..<70, 70..<100]), (0, [0..<100]), (64, [64..<100])] {
            state.restore(at: cut)
            for piece in pieces {
                let again = try convolve(input, weight, piece, state, pool)
                #expect(again.bits == Array(whole[piece.lowerBound * channels..<piece.upperBound * channels]).bits)
            }
        }
    }

    /// Linear attention whose state is saved every 128 positions, each lane's columns by itself.
    @Test("after rewinding, linear attention gives the same output, also from a copy", arguments: [1, 2, 5])
    func restoresMatrices(lanes: Int) throws {
        let attention = LinearAttentionShape(
            heads: 4, keyHeads: 2, keyWidth: 64, valueWidth: 200, grouping: .neighbours, corrects: true)
        let shape = RecurrentShape(channels: 8, taps: 2, heads: 4, keyWidth: 64, valueWidth: 200)
        try #require(shape.interval == 128)
        let pool = WorkerPool(lanes: lanes)
        let state = try RecurrentState(capacity: 400, shape: shape)
        let other = try RecurrentState(capacity: 300, shape: shape)
        let inputs = 4 * 64 + 4 * 200
        var random = SplitMix64(seed: 4)
        let rows = try AlignedBuffer(zeroedFloats: 300 * inputs)
        for (index, value) in random.floats(300 * inputs, in: -0.1...0.1).enumerated() { rows.floats[index] = value }
        let gates = try AlignedBuffer(zeroedFloats: 300 * 8)
        for (index, value) in random.floats(300 * 8, in: 0.5...1).enumerated() { gates.floats[index] = value }
        let y = try AlignedBuffer(zeroedFloats: 300 * 800)

        func attend(_ range: Range<Int>, _ state: RecurrentState) -> [Float] {
            let x = FloatRows(pointer: rows.floats, count: 300, width: inputs).rows(range)
            let gate = FloatRows(pointer: gates.floats, count: 300, width: 8).rows(range)
            let y = FloatRows(pointer: y.floats, count: range.count, width: 800)
            pool.run { lane in
                lane.attendLinearly(
                    q: x.columns(from: 0, width: 128), k: x.columns(from: 128, width: 128),
                    v: x.columns(from: 256, width: 800), decay: gate.columns(from: 0, width: 4),
                    rate: gate.columns(from: 4, width: 4), into: y, shape: attention,
                    sequences: [SequenceRows(rows: 0..<range.count, position: range.lowerBound)], state: { _ in state })
            }
            return (0..<range.count * 800).map { y.pointer[$0] }
        }

        let whole = attend(0..<300, state)
        other.copy(0..<256, of: state)
        for (state, cut, pieces) in [
            (state, 256, [256..<300]), (state, 128, [128..<129, 129..<257, 257..<300]), (state, 0, [0..<300]),
            (other, 256, [256..<300]), (other, 128, [128..<300]),
        ] {
            state.restore(at: cut)
            for piece in pieces {
                let again = attend(piece, state)
                #expect(again.bits == Array(whole[piece.lowerBound * 800..<piece.upperBound * 800]).bits)
            }
        }
    }

    private func convolve(
        _ input: [Float], _ weight: [Float], _ rows: Range<Int>, _ state: RecurrentState, _ pool: WorkerPool
    ) throws -> [Float] {
        let x = try AlignedBuffer(zeroedFloats: rows.count * channels)
        let y = try AlignedBuffer(zeroedFloats: rows.count * channels)
        let kernel = try AlignedBuffer(zeroedFloats: weight.count)
        for (index, value) in weight.enumerated() { kernel.floats[index] = value }
        for index in 0..<rows.count * channels { x.floats[index] = input[rows.lowerBound * channels + index] }
        let source = FloatRows(pointer: x.floats, count: rows.count, width: channels)
        let target = FloatRows(pointer: y.floats, count: rows.count, width: channels)
        pool.run { lane in
            lane.convolve(
                source, weight: kernel, state: state, position: rows.lowerBound, into: target)
        }
        return (0..<rows.count * channels).map { y.floats[$0] }
    }

    private func direct(_ input: [Float], _ weight: [Float]) -> [Float] {
        (0..<input.count).map { index in
            let (row, channel) = index.quotientAndRemainder(dividingBy: channels)
            return (0..<taps).reduce(0) { sum, tap in
                let earlier = row + tap - (taps - 1)
                guard earlier >= 0 else { return sum }
                return sum.addingProduct(weight[channel * taps + tap], input[earlier * channels + channel])
            }
        }
    }
}
