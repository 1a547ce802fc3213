// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Foundation
import ParleyRuntime
import Testing

@Suite struct OpsRopeTests {
    struct Shape: Sendable {
        var heads: Int, headDim: Int, rotaryDim: Int
    }

    static let shapes = [
        Shape(heads: 1, headDim: 8, rotaryDim: 8), Shape(heads: 3, headDim: 64, rotaryDim: 64),
        Shape(heads: 2, headDim: 96, rotaryDim: 48), Shape(heads: 4, headDim: 80, rotaryDim: 32),
        Shape(heads: 2, headDim: 256, rotaryDim: 256), Shape(heads: 5, headDim: 40, rotaryDim: 2),
    ]

    @Test(
        "Pairs are rotated by their angle, as halves and as neighbours", arguments: OpsInstructionSet.available, shapes)
    func rotation(set: OpsInstructionSet, shape: Shape) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        let pairs = shape.rotaryDim / 2
        let angles = (0..<pairs).map { 17 * pow(10000, -2 * Double($0) / Double(shape.rotaryDim)) }
        let cosine = angles.map { Float(cos($0)) }, sine = angles.map { Float(sin($0)) }
        var random = SplitMix64(seed: UInt64(shape.headDim))
        let x = random.floats(shape.heads * shape.headDim) + [opsCanary]
        for halves in [true, false] {
            var exact = x.map(Double.init)
            for head in 0..<shape.heads {
                for i in 0..<pairs {
                    let first = head * shape.headDim + (halves ? i : 2 * i), second = first + (halves ? pairs : 1)
                    let (a, b) = (exact[first], exact[second])
                    exact[first] = a * cos(angles[i]) - b * sin(angles[i])
                    exact[second] = a * sin(angles[i]) + b * cos(angles[i])
                }
            }
            var y = x, expected = x
            kernels.rope?(&y, shape.heads, shape.headDim, shape.rotaryDim, cosine, sine, halves)
            generic.rope?(&expected, shape.heads, shape.headDim, shape.rotaryDim, cosine, sine, halves)
            #expect(opsError(y, exact) < 5e-7)
            #expect(y.bits == expected.bits)
            for head in 0..<shape.heads {
                let rest = (head * shape.headDim + shape.rotaryDim)..<((head + 1) * shape.headDim)
                #expect(Array(y[rest]) == Array(x[rest]))
            }
        }
    }
}
