// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTesting
import Testing

struct TensorEncodingTests {
    @Test(
        "half precision is Float16's",
        arguments: [0, -0.0, 1, -2.5, 65_504, 65_519.9, 65_520, 1e9, 0x1p-14, 0x1p-24, 0x1p-26, 3.14159, -.infinity]
            as [Float])
    func encodesHalves(number: Float) {
        let bytes = TensorEncoding.f16.encode([number])
        #expect(UInt16(bytes[0]) | UInt16(bytes[1]) << 8 == reference(number))
    }

    @Test("half precision is Float16's for 100,000 random numbers")
    func encodesRandomHalves() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<100_000 {
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            guard number.isFinite else { continue }
            let bytes = TensorEncoding.f16.encode([number])
            #expect(UInt16(bytes[0]) | UInt16(bytes[1]) << 8 == reference(number))
        }
    }

    @Test("quantised blocks come back within half a step")
    func quantises() {
        var random = SplitMix64(seed: 3)
        let numbers = (0..<32).map { _ in random.nextFloat() }
        let bytes = TensorEncoding.q8_0.encode(numbers)
        #expect(bytes.count == 34)
        let scale = half(bytes, 0)
        for (number, byte) in zip(numbers, bytes.dropFirst(2)) {
            #expect(abs(number - scale * Float(Int8(bitPattern: byte))) <= scale * 0.6)
        }
        let nibbles = TensorEncoding.q4_1.encode(numbers)
        #expect(nibbles.count == 20)
        for (index, number) in numbers.enumerated() {
            let nibble = index < 16 ? nibbles[4 + index] & 15 : nibbles[4 + index - 16] >> 4
            #expect(abs(number - (half(nibbles, 0) * Float(nibble) + half(nibbles, 2))) <= half(nibbles, 0) * 0.6)
        }
        let signed = TensorEncoding.q4_0.encode(numbers)
        #expect(signed.count == 18)
        for (index, number) in numbers.enumerated() {
            let nibble = index < 16 ? signed[2 + index] & 15 : signed[2 + index - 16] >> 4
            // The side that -8 is not on loses up to a whole step.
            #expect(abs(number - half(signed, 0) * (Float(nibble) - 8)) <= abs(half(signed, 0)) * 1.1)
        }
    }

    @Test("blocks of zeros stay zero", arguments: [TensorEncoding.q4_0, .q4_1, .q8_0])
    func quantisesZeros(encoding: TensorEncoding) {
        let bytes = encoding.encode(Array(repeating: 0, count: 32))
        #expect(bytes.prefix(encoding == .q4_1 ? 4 : 2).allSatisfy { $0 & 0x7F == 0 })
    }

    private func half(_ bytes: [UInt8], _ offset: Int) -> Float {
        decode(UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
    }

    private func decode(_ bits: UInt16) -> Float {
        let magnitude = bits & 0x7FFF
        let fraction = Float(magnitude & 0x3FF)
        let exponent = Int(magnitude >> 10)
        let value =
            exponent == 31
            ? Float.infinity
            : exponent == 0
                ? fraction * 0x1p-24 : Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
        return bits & 0x8000 == 0 ? value : -value
    }

    /// The nearest half by search over all of them, ties to the even one.
    private func reference(_ number: Float) -> UInt16 {
        let sign: UInt16 = number.sign == .minus ? 0x8000 : 0
        let magnitude = Double(abs(number))
        guard magnitude < 65_520 else { return sign | 0x7C00 }
        var low: UInt16 = 0
        var high: UInt16 = 0x7C00
        while high - low > 1 {
            let middle = (low + high) / 2
            if Double(decode(middle)) <= magnitude { low = middle } else { high = middle }
        }
        let below = magnitude - Double(decode(low))
        let above = (high == 0x7C00 ? 65_536 : Double(decode(high))) - magnitude
        let rounded = below < above || (below == above && low.isMultiple(of: 2)) ? low : high
        return sign | rounded
    }
}
