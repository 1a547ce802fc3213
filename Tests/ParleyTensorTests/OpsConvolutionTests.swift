// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

@Suite struct OpsConvolutionTests {
    static let widths = [1, 2, 3, 4, 9]
    static let channels = 53
    static let tokens = 11

    struct Result: Equatable {
        var y: [Float], state: [Float]
    }

    /// Runs the rows in steps that end at `cuts`, each step over channels split at `channelCut`.
    func convolve(_ set: OpsInstructionSet, width: Int, cuts: [Int], channelCut: Int) throws -> Result {
        let kernels = try set.kernels()
        let n = Self.channels, stride = n + 2
        var random = SplitMix64(seed: UInt64(width))
        let x = random.floats(Self.tokens * stride), weight = random.floats(n * width)
        var state = random.floats((width - 1) * n)
        var y = [Float](repeating: opsCanary, count: Self.tokens * stride)
        var begin = 0
        for end in cuts {
            for channels in [0..<channelCut, channelCut..<n] {
                x.withUnsafeBufferPointer { x in
                    y.withUnsafeMutableBufferPointer { y in
                        guard let source = x.baseAddress, let target = y.baseAddress else { return }
                        kernels.short_convolution?(
                            source + begin * stride, stride, end - begin, weight, width, &state, n,
                            target + begin * stride, stride, channels.lowerBound, channels.upperBound)
                    }
                }
            }
            begin = end
        }
        return Result(y: y, state: state)
    }

    @Test("Each output is the weighted sum of the last rows, the state's included", arguments: widths)
    func reference(width: Int) throws {
        let n = Self.channels, stride = n + 2
        var random = SplitMix64(seed: UInt64(width))
        let x = random.floats(Self.tokens * stride), weight = random.floats(n * width)
        let state = random.floats((width - 1) * n)
        func row(_ t: Int, _ c: Int) -> Double { Double(t < 0 ? state[(t + width - 1) * n + c] : x[t * stride + c]) }

        let result = try convolve(.generic, width: width, cuts: [Self.tokens], channelCut: 0)
        for t in 0..<Self.tokens {
            let expected = (0..<n).map { c in
                (0..<width).reduce(0.0) { $0 + Double(weight[c * width + $1]) * row(t + $1 - (width - 1), c) }
            }
            #expect(opsError(result.y[t * stride..<t * stride + n], expected) < 1e-6)
            #expect(result.y[t * stride + n] == opsCanary)
        }
        for i in 0..<width - 1 {
            let t = Self.tokens - (width - 1) + i
            #expect((0..<n).allSatisfy { Double(result.state[i * n + $0]) == row(t, $0) })
        }
    }

    @Test("Neither the instruction set nor a split by tokens or channels changes a bit", arguments: widths)
    func splits(width: Int) throws {
        let expected = try convolve(.generic, width: width, cuts: [Self.tokens], channelCut: 0)
        for set in OpsInstructionSet.available {
            for cuts in [[11], [1, 2, 11], [4, 4, 5, 11], Array(1...11)] {
                for channelCut in [0, 1, 16, 20, 53] {
                    #expect(try convolve(set, width: width, cuts: cuts, channelCut: channelCut) == expected)
                }
            }
        }
    }
}
