// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTensor
import Testing

@Suite("Convolution history")
struct ConvolutionHistoryTests {
    private let channels = 40
    private let taps = 3

    @Test("a history has the announced size in bytes", arguments: [1, 31, 32, 33, 500, 8_192])
    func takesBytes(capacity: Int) throws {
        let history = try ConvolutionHistory(capacity: capacity, channels: channels, taps: taps)
        let announced = ConvolutionHistory.byteCount(capacity: capacity, channels: channels, taps: taps)
        #expect(history.byteCount == announced)
        #expect(announced == (capacity / 32 + 2) * 2 * channels * 4)
    }

    @Test("after rewinding, the same input gives the same output", arguments: [1, 2, 5])
    func restores(lanes: Int) throws {
        let pool = WorkerPool(lanes: lanes)
        var random = SplitMix64(seed: 3)
        let input = random.floats(100 * channels)
        let weight = random.floats(channels * taps)
        let history = try ConvolutionHistory(capacity: 100, channels: channels, taps: taps)
        let whole = try convolve(input, weight, 0..<100, history, pool)
        #expect(whole == direct(input, weight))
        for (cut, pieces) in [(96, [96..<100]), (32, [32..<33, 33..<70, 70..<100]), (0, [0..<100]), (64, [64..<100])] {
            history.restore(at: cut)
            for piece in pieces {
                let again = try convolve(input, weight, piece, history, pool)
                #expect(again.bits == Array(whole[piece.lowerBound * channels..<piece.upperBound * channels]).bits)
            }
        }
    }

    private func convolve(
        _ input: [Float], _ weight: [Float], _ rows: Range<Int>, _ history: ConvolutionHistory, _ pool: WorkerPool
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
                source, weight: kernel, taps: taps, history: history, position: rows.lowerBound, into: target)
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
