// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Foundation
import ParleyRuntime
import Testing

/// The operations on rows: the portable kernels against double precision, every instruction set against those.
@Suite struct OpsTests {
    static let lengths = [1, 2, 7, 15, 16, 17, 31, 32, 33, 64, 100, 255, 576]
    /// Values around the limits of exp, SiLU and GELU, and far beyond.
    static let extremes: [Float] = [
        0, -0.0, 0x1p-149, -0x1p-130, 1e-20, -1e-20, 5, -5, 20, -20, 87.3, -87.3, 87.4, -87.4, 88.3, -88.3, 88.4, -88.4,
        88.8,
        -88.8, 104, -104, 1e4, -1e4, 1e20, -1e20, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]

    @Test("rms_norm divides by the root of the mean square and multiplies by the weight", arguments: lengths)
    func rmsNorm(n: Int) throws {
        let generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: UInt64(n))
        let x = random.floats(n), weight = random.floats(n)
        var y = [Float](repeating: opsCanary, count: n + 1)
        generic.rms_norm?(x, weight, &y, n, 1e-5)
        let scale = 1 / (x.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(n) + 1e-5).squareRoot()
        #expect(opsError(y[..<n], zip(x, weight).map { Double($0) * scale * Double($1) }) < 1e-6)
        #expect(y[n] == opsCanary)

        generic.rms_norm?(x, nil, &y, n, 1e-5)
        #expect(opsError(y[..<n], x.map { Double($0) * scale }) < 1e-6)
    }

    @Test("layer_norm takes the mean away and divides by the root of the variance", arguments: lengths)
    func layerNorm(n: Int) throws {
        let generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: UInt64(n) &+ 7)
        // Far from zero, so that leaving out the mean would show.
        let x = random.floats(n).map { $0 + 20 }
        let weight = random.floats(n), bias = random.floats(n)
        var y = [Float](repeating: opsCanary, count: n + 1)
        generic.layer_norm?(x, weight, bias, &y, n, 1e-3)
        let mean = x.reduce(0.0) { $0 + Double($1) } / Double(n)
        let variance = x.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(n)
        let scale = 1 / (variance + 1e-3).squareRoot()
        let exact = x.indices.map { (Double(x[$0]) - mean) * scale * Double(weight[$0]) + Double(bias[$0]) }
        #expect(opsError(y[..<n], exact) < 2e-5)
        #expect(y[n] == opsCanary)
    }

    @Test("silu_mul and gelu_mul are within a few units of the last place of the exact functions")
    func activations() throws {
        let generic = try OpsInstructionSet.generic.kernels()
        let gate = (-4000...4000).map { Float($0) / 200 }
        let up = [Float](repeating: 1, count: gate.count)
        var y = up
        generic.silu_mul?(gate, up, &y, gate.count)
        #expect(opsError(y, gate.map { Double($0) / (1 + exp(-Double($0))) }) < 2.5e-7)
        generic.gelu_mul?(gate, up, &y, gate.count)
        let gelu = gate.map { gate in
            let x = Double(gate)
            return 0.5 * x * (1 + tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)))
        }
        #expect(opsError(y, gelu) < 4e-7)
    }

    @Test("clamped_swish_mul limits both inputs and is within a few units of the last place of the exact function")
    func clampedActivation() throws {
        let gate = (-4000...4000).map { Float($0) / 200 }
        let up = gate.indices.map { Float($0 % 41) / 2 - 10 }
        var y = gate
        try OpsInstructionSet.generic.kernels().clamped_swish_mul?(gate, up, &y, gate.count)
        let exact = zip(gate, up).map { gate, up in
            let x = min(Double(gate), 7)
            return x / (1 + exp(-Double(Float(1.702)) * x)) * (min(max(Double(up), -7), 7) + 1)
        }
        #expect(opsError(y, exact) < 2e-6)
    }

    @Test("silu adds the bias, sigmoid_mul multiplies, both within a few units of the last place")
    func sigmoids() throws {
        let generic = try OpsInstructionSet.generic.kernels()
        let x = (-4000...4000).map { Float($0) / 200 }
        let bias = (0..<x.count).map { Float($0 % 7) / 8 }
        var y = x
        generic.silu?(bias, &y, x.count)
        let exact = zip(x, bias).map { x, bias in Double(x + bias) / (1 + exp(-Double(x + bias))) }
        #expect(opsError(y, exact) < 2.5e-7)
        y = bias
        generic.sigmoid_mul?(x, &y, x.count)
        #expect(opsError(y, zip(x, bias).map { x, bias in Double(bias) / (1 + exp(-Double(x))) }) < 2.5e-7)
    }

    @Test("gelu_erf adds the bias and is within a few units of the last place of the exact function")
    func exactGELU() throws {
        let generic = try OpsInstructionSet.generic.kernels()
        let x = (-4000...4000).map { Float($0) / 400 }
        let bias = (0..<x.count).map { Float($0 % 7) / 8 }
        var y = x
        generic.gelu_erf?(bias, &y, x.count)
        let exact = zip(x, bias).map { x, bias in
            let sum = Double(x + bias)
            return 0.5 * sum * (1 + erf(sum / 2.0.squareRoot()))
        }
        #expect(opsError(y, exact) < 3e-7)
        var extremes = Self.extremes
        generic.gelu_erf?(nil, &extremes, extremes.count)
        for (x, y) in zip(Self.extremes, extremes) {
            #expect(y.isFinite)
            if x > 20 { #expect(y == x) }
            if x < -20 { #expect(y <= 0 && y > -1e-6) }
        }
    }

    @Test("softcap is within a few units of the last place of the exact function", arguments: [Float(1), 30])
    func softcap(cap: Float) throws {
        let generic = try OpsInstructionSet.generic.kernels()
        let x = (-4000...4000).map { Float($0) / 20 }
        var y = x + [opsCanary]
        generic.softcap?(cap, &y, x.count)
        #expect(opsError(y[..<x.count], x.map { Double(cap) * tanh(Double($0) / Double(cap)) }) < 4e-7)
        #expect(y[x.count] == opsCanary)
        var extremes = Self.extremes
        generic.softcap?(cap, &extremes, extremes.count)
        for (x, y) in zip(Self.extremes, extremes) { #expect(abs(y) <= cap && y.sign == x.sign) }
    }

    @Test("exp_sum adds the exponentials, and nothing for -infinity", arguments: lengths)
    func expSum(n: Int) throws {
        let generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: UInt64(n) &+ 21)
        var x = random.floats(n, in: -9...3)
        if n > 1 { x[n / 2] = -.infinity }
        var sum: Float = 0
        generic.exp_sum?(x, 3, &sum, n)
        let exact = x.reduce(0.0) { $0 + exp(Double($1) - 3) }
        #expect(abs(Double(sum) - exact) <= 2e-6 * exact)
    }

    @Test("softmax_parts are the exponentials of the scaled scores, and their sum", arguments: lengths)
    func softmaxParts(n: Int) throws {
        let generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: UInt64(n) &+ 40)
        let scores = random.floats(n, in: -9...9), bias = random.floats(n)
        var (y, sum) = (scores + [opsCanary], Float(0))
        generic.softmax_parts?(bias, 0.5, &y, &sum, n)
        let exact = zip(scores, bias).map { Double($0) * 0.5 + Double($1) }
        let highest = exact.max() ?? 0
        #expect(opsError(y[..<n], exact.map { exp($0 - highest) }) < 2e-6)
        #expect(abs(Double(sum) / exact.reduce(0) { $0 + exp($1 - highest) } - 1) < 2e-6)
        #expect(y[n] == opsCanary)
    }

    @Test(
        "Weights become the nearest multiples of a 127th of their block's largest", arguments: [PARLEY_F32, PARLEY_F16])
    func quantizedWeights(type: parley_type) throws {
        var random = SplitMix64(seed: 5)
        var values = random.floats(96)
        for index in 32..<64 { values[index] = 0 }
        let halves = values.map(parley_f32_to_f16)
        if type == PARLEY_F16 { values = halves.map(parley_f16_to_f32) }
        var blocks = [UInt8](repeating: 0xEE, count: 3 * 34 + 1)
        if type == PARLEY_F16 {
            parley_quantize_q8_0(type, halves, 3, &blocks)
        } else {
            parley_quantize_q8_0(type, values, 3, &blocks)
        }
        for block in 0..<3 {
            let part = values[block * 32..<(block + 1) * 32]
            let scale = (part.map(abs).max() ?? 0) / 127
            let half = UInt16(blocks[block * 34]) | UInt16(blocks[block * 34 + 1]) << 8
            #expect(half == parley_f32_to_f16(scale))
            for (column, value) in part.enumerated() {
                let number = Float(Int8(bitPattern: blocks[block * 34 + 2 + column]))
                #expect(abs(number * scale - value) <= scale * 0.5001)
            }
        }
        #expect(blocks.last == 0xEE)
    }

    @Test("Activations of finite gates are finite, however large", arguments: OpsInstructionSet.available)
    func extremeActivations(set: OpsInstructionSet) throws {
        let kernels = try set.kernels()
        let gate = Self.extremes
        let up = [Float](repeating: 1, count: gate.count)
        var y = up
        for function in [kernels.silu_mul, kernels.gelu_mul] {
            function?(gate, up, &y, gate.count)
            for (x, y) in zip(gate, y) {
                if x > 20 { #expect(y == x) }
                if x < -20 { #expect(y <= 0 && y > -1e-6) }
                #expect(y.isFinite)
            }
        }
    }

    @Test("Every instruction set gives the portable bits, and in place too", arguments: OpsInstructionSet.available)
    func instructionSets(set: OpsInstructionSet) throws {
        let generic = try OpsInstructionSet.generic.kernels(), kernels = try set.kernels()
        for n in Self.lengths {
            var random = SplitMix64(seed: UInt64(n) &+ 99)
            let x = random.floats(n, in: -30...30), up = random.floats(n)
            for operation in Self.operations {
                var expected = up + [opsCanary], actual = expected
                operation(generic, x, &expected, n)
                operation(kernels, x, &actual, n)
                #expect(expected.bits == actual.bits)
                #expect(actual[n] == opsCanary)
            }
        }
    }

    /// Each operation with its result in the place of its second operand.
    static let operations: [@Sendable (parley_kernels, [Float], inout [Float], Int) -> Void] = [
        { kernels, x, y, n in
            y.withUnsafeMutableBufferPointer { y in kernels.rms_norm?(x, y.baseAddress, y.baseAddress, n, 1e-6) }
        },
        { kernels, x, y, n in
            y.withUnsafeMutableBufferPointer { y in kernels.rms_norm?(y.baseAddress, x, y.baseAddress, n, 1e-6) }
        },
        { kernels, x, y, n in
            y.withUnsafeMutableBufferPointer { y in
                kernels.layer_norm?(y.baseAddress, x, x.reversed(), y.baseAddress, n, 1e-6)
            }
        },
        { kernels, x, y, n in
            y.withUnsafeMutableBufferPointer { y in kernels.silu_mul?(x, y.baseAddress, y.baseAddress, n) }
        },
        { kernels, x, y, n in
            y.withUnsafeMutableBufferPointer { y in kernels.gelu_mul?(x, y.baseAddress, y.baseAddress, n) }
        },
        { kernels, x, y, n in
            y.withUnsafeMutableBufferPointer { y in kernels.clamped_swish_mul?(x, y.baseAddress, y.baseAddress, n) }
        },
        { kernels, x, y, n in kernels.silu?(x, &y, n) },
        { kernels, x, y, n in kernels.silu?(nil, &y, n) },
        { kernels, x, y, n in kernels.sigmoid_mul?(x, &y, n) },
        { kernels, x, y, n in kernels.gelu_erf?(x, &y, n) },
        { kernels, x, y, n in kernels.gelu_erf?(nil, &y, n) },
        { kernels, x, y, n in kernels.softcap?(30, &y, n) },
        { kernels, x, y, n in kernels.softcap?(0.01, &y, n) },
        { kernels, x, y, n in kernels.exp_sum?(x, x[..<n].max() ?? 0, &y, n) },
        { kernels, x, y, n in
            var sum: Float = 0
            kernels.softmax_parts?(x, 0.7, &y, &sum, n)
            y[0] += sum
        },
        { kernels, x, y, n in
            var sum: Float = 0
            kernels.softmax_parts?(nil, 3, &y, &sum, n)
            y[0] += sum
        },
        { kernels, x, y, n in kernels.add?(x, &y, n) },
        { kernels, x, y, n in kernels.mul?(x, &y, n) },
        { kernels, x, y, n in kernels.scale?(x[0], &y, n) },
    ]

    @Test("A value does not depend on its place in the row", arguments: OpsInstructionSet.available)
    func places(set: OpsInstructionSet) throws {
        let kernels = try set.kernels()
        var random = SplitMix64(seed: 3)
        let gate = random.floats(67, in: -20...20), up = random.floats(67)
        for function in [kernels.silu_mul, kernels.gelu_mul, kernels.clamped_swish_mul] {
            var whole = [Float](repeating: 0, count: 67)
            function?(gate, up, &whole, 67)
            for i in 0..<67 {
                var alone: Float = 0
                function?([gate[i]], [up[i]], &alone, 1)
                #expect(alone.bitPattern == whole[i].bitPattern)
            }
        }
    }

    @Test("add, mul and scale round once", arguments: OpsInstructionSet.available)
    func arithmetic(set: OpsInstructionSet) throws {
        let kernels = try set.kernels()
        var random = SplitMix64(seed: 4)
        let x = random.floats(37), y = random.floats(37)
        var sum = y, product = y, scaled = y
        kernels.add?(x, &sum, 37)
        kernels.mul?(x, &product, 37)
        kernels.scale?(0.3, &scaled, 37)
        #expect(sum == zip(x, y).map { $0 + $1 })
        #expect(product == zip(x, y).map { $0 * $1 })
        #expect(scaled == y.map { $0 * 0.3 })
    }
}
