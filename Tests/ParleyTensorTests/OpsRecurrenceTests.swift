// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

@Suite("Linear attention kernels") struct OpsRecurrenceTests {
    /// Rows of queries, keys and values, and what is done to the state.
    struct Job: Sendable, CustomTestStringConvertible {
        var keyDim: Int, valueDim: Int, corrects: Bool
        var rows = 9

        var testDescription: String { "\(keyDim) × \(valueDim)\(corrects ? ", corrected" : "")" }
        var stride: Int { 2 * keyDim + valueDim + 3 }

        static let all = [(8, 1), (3, 16), (16, 53), (64, 64), (33, 150)].flatMap { keyDim, valueDim in
            [true, false].map { Job(keyDim: keyDim, valueDim: valueDim, corrects: $0) }
        }

        struct Input {
            var rows: [Float], decay: [Float], rate: [Float], state: [Float]
        }

        /// The rows have queries, keys and values one after the other, then a few values of nothing.
        func input() -> Input {
            var random = SplitMix64(seed: UInt64(keyDim * valueDim))
            let bound = 1 / Float(keyDim).squareRoot()
            return Input(
                rows: random.floats(rows * stride, in: -bound...bound), decay: random.floats(2 * rows, in: 0.3...1),
                rate: random.floats(2 * rows, in: 0...1), state: random.floats(keyDim * valueDim))
        }
    }

    struct Result: Equatable {
        var y: [Float], state: [Float]
    }

    /// Computes the rows in steps that end at `cuts`, each of them over columns split at `columnCut`.
    func run(_ set: OpsInstructionSet, _ job: Job, cuts: [Int], columnCut: Int) throws -> Result {
        let kernels = try set.kernels()
        let input = job.input()
        let width = job.valueDim + 1
        var result = Result(y: [Float](repeating: opsCanary, count: job.rows * width), state: input.state)
        input.rows.withUnsafeBufferPointer { rows in
            result.y.withUnsafeMutableBufferPointer { y in
                result.state.withUnsafeMutableBufferPointer { state in
                    guard let first = rows.baseAddress, let target = y.baseAddress else { return }
                    var begin = 0
                    for end in cuts {
                        let row = first + begin * job.stride
                        input.decay.withUnsafeBufferPointer { decay in
                            input.rate.withUnsafeBufferPointer { rate in
                                guard let decay = decay.baseAddress, let rate = rate.baseAddress else { return }
                                var attention = parley_linear_attention(
                                    q: row, k: row + job.keyDim, v: row + 2 * job.keyDim, stride: job.stride,
                                    decay: decay + 2 * begin, rate: rate + 2 * begin, gate_stride: 2,
                                    state: state.baseAddress, y: target + begin * width, y_stride: width,
                                    rows: end - begin, key_dim: job.keyDim, value_dim: job.valueDim,
                                    corrects: job.corrects)
                                kernels.linear_attention?(&attention, 0, columnCut)
                                kernels.linear_attention?(&attention, columnCut, job.valueDim)
                            }
                        }
                        begin = end
                    }
                }
            }
        }
        return result
    }

    /// The recurrence as the paper has it, in double precision.
    func exact(_ job: Job) -> (y: [[Double]], state: [Double]) {
        let input = job.input()
        var state = input.state.map(Double.init)
        let y = (0..<job.rows).map { t in
            let row = input.rows[t * job.stride..<(t + 1) * job.stride].map(Double.init)
            let (q, k, v) = (row[..<job.keyDim], row[job.keyDim..<2 * job.keyDim], row[(2 * job.keyDim)...])
            return (0..<job.valueDim).map { j in
                func column(_ i: Int) -> Int { i * job.valueDim + j }
                for i in 0..<job.keyDim { state[column(i)] *= Double(input.decay[2 * t]) }
                let known = k.enumerated().reduce(0) { $0 + state[column($1.offset)] * $1.element }
                let change = (v[2 * job.keyDim + j] - (job.corrects ? known : 0)) * Double(input.rate[2 * t])
                for (i, k) in k.enumerated() { state[column(i)] += k * change }
                return q.enumerated().reduce(0) { $0 + state[column($1.offset)] * $1.element }
            }
        }
        return (y, state)
    }

    @Test("Each row decays the state, adds its value under its key, and reads with its query", arguments: Job.all)
    func reference(job: Job) throws {
        let result = try run(.generic, job, cuts: [job.rows], columnCut: 0)
        let exact = exact(job)
        for t in 0..<job.rows {
            let row = result.y[t * (job.valueDim + 1)..<(t + 1) * (job.valueDim + 1)]
            #expect(opsError(row.dropLast(), exact.y[t]) < 2e-6)
            #expect(row.last == opsCanary)
        }
        #expect(opsError(result.state, exact.state) < 2e-6)
    }

    @Test("Neither the instruction set nor a split by rows or columns changes a bit", arguments: Job.all)
    func splits(job: Job) throws {
        let expected = try run(.generic, job, cuts: [job.rows], columnCut: 0)
        for set in OpsInstructionSet.available {
            for cuts in [[9], [1, 9], [4, 4, 5, 9], Array(1...9)] {
                for columnCut in [0, 1, 16, 64, 80] where columnCut <= job.valueDim {
                    let result = try run(set, job, cuts: cuts, columnCut: columnCut)
                    #expect(result.y.bits == expected.y.bits)
                    #expect(result.state.bits == expected.state.bits)
                }
            }
        }
    }
}
