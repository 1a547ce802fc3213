// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

/// Packing and unpacking.
@Suite struct MatmulPackTests {
    @Test("Unpacked values are llama.cpp's, bit for bit", arguments: MatmulGolden.all.indices)
    func goldens(index: Int) throws {
        let golden = MatmulGolden.all[index]
        let digits = Array(golden.block)
        let block = try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0..<($0 + 2)]), radix: 16))
        }
        // The row is the ninth of eleven, between rows with other bits.
        let other = block.map { $0 ^ 0x15 }
        let rows = Array(repeating: other, count: 8) + [block] + Array(repeating: other, count: 2)
        let packed = MatmulBuffer(parley_panel_bytes(golden.type, golden.columns))
        parley_pack(golden.type, rows.flatMap(\.self), 11, golden.columns, packed.address, 0, 1)
        var matrix = parley_matrix(panels: packed.address, type: golden.type, rows: 11, columns: golden.columns)
        var values = [Float](repeating: .nan, count: golden.columns)
        parley_unpack_row(&matrix, 8, &values)
        #expect(Array(values.prefix(golden.first.count)) == golden.first)
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for value in values {
            // The sign of zero does not count.
            withUnsafeBytes(of: (value + 0).bitPattern.littleEndian) { bytes in
                for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            }
        }
        #expect(hash == golden.hash)
    }

    @Test(
        "Packing in parts gives the same as packing the whole, and rows past the end are zero",
        arguments: MatmulType.all)
    func parts(type: MatmulType) {
        var random = SplitMix64(seed: 5)
        let columns = type.blockColumns == 1 ? 66 : 2 * type.blockColumns, rows = 53
        let panelBytes = parley_panel_bytes(type.type, columns)
        let tensor = type.randomTensor(rows: rows, columns: columns, &random)
        let whole = MatmulBuffer(4 * panelBytes), parts = MatmulBuffer(4 * panelBytes)
        parley_pack(type.type, tensor, rows, columns, whole.address, 0, 4)
        for part in [2..<4, 0..<1, 1..<2] {
            parley_pack(type.type, tensor, rows, columns, parts.address, part.lowerBound, part.upperBound)
        }
        #expect(whole.bytes.elementsEqual(parts.bytes))
        var matrix = parley_matrix(panels: whole.address, type: type.type, rows: 64, columns: columns)
        var values = [Float](repeating: .nan, count: columns)
        for row in rows..<64 {
            parley_unpack_row(&matrix, row, &values)
            #expect(values.allSatisfy { $0 == 0 })
        }
    }

    @Test("Packed matrices stay near the file's size", arguments: MatmulType.quantized)
    func size(type: MatmulType) {
        let file = 16 * 2048 / type.blockColumns * type.packedBytes
        #expect(parley_panel_bytes(type.type, 2048) <= file + file / 20)
    }

    @Test("The size of a panel is a multiple of 64, and zero where columns do not fill blocks")
    func panelBytes() {
        for type in MatmulType.all {
            for blocks in 1..<5 {
                let bytes = parley_panel_bytes(type.type, blocks * type.blockColumns)
                #expect(bytes > 0 && bytes % 64 == 0)
            }
            guard type.blockColumns > 1 else { continue }
            #expect(parley_panel_bytes(type.type, type.blockColumns + 16) == 0)
            #expect(parley_panel_bytes(type.type, Int.max / type.blockColumns * type.blockColumns) == 0)
        }
        #expect(parley_panel_bytes(PARLEY_F32, Int.max) == 0)
        #expect(parley_panel_bytes(parley_type(rawValue: 9), 256) == 0)
        #expect(parley_activation_bytes(Int.max / 2, 4096) == 0)
    }

    @Test("Half precision converts like the language's own type")
    func halves() {
        for bits in UInt16.min...UInt16.max {
            let value = parley_f16_to_f32(bits)
            let magnitude = bits & 0x7fff
            if magnitude > 0x7c00 {
                #expect(value.isNaN)
                #expect(parley_f32_to_f16(value) == bits | 0x0200)
                continue
            }
            #expect(value == MatmulPackTests.value(ofHalf: bits))
            #expect(parley_f32_to_f16(value) == bits)
            guard magnitude < 0x7bff else { continue }
            // Halfway to the next half, a tie goes to the even one; a little less or more, to the nearer.
            let next = parley_f16_to_f32(bits + 1), middle = (value + next) / 2
            #expect(parley_f32_to_f16(middle) == bits + (bits & 1))
            let towardsZero = bits & 0x8000 == 0 ? middle.nextDown : middle.nextUp
            let awayFromZero = bits & 0x8000 == 0 ? middle.nextUp : middle.nextDown
            #expect(parley_f32_to_f16(towardsZero) == bits)
            #expect(parley_f32_to_f16(awayFromZero) == bits + 1)
        }
        #expect(parley_f32_to_f16(65519.996) == 0x7bff)
        #expect(parley_f32_to_f16(65520) == 0x7c00)
        #expect(parley_f32_to_f16(-.greatestFiniteMagnitude) == 0xfc00)
        #expect(parley_f32_to_f16(0x1p-149) == 0)
    }

    private static func value(ofHalf bits: UInt16) -> Float {
        let exponent = Int(bits >> 10 & 31), mantissa = Float(bits & 0x3ff)
        let magnitude: Float
        switch exponent {
        case 31: magnitude = .infinity
        case 0: magnitude = Float(sign: .plus, exponent: -24, significand: mantissa)
        default: magnitude = Float(sign: .plus, exponent: exponent - 25, significand: mantissa + 1024)
        }
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }
}
