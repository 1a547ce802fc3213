// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import Testing

@Suite("Numbers")
struct NumberAutomatonTests {
    @Test("Every integer near the bounds is accepted exactly if it lies between them")
    func integers() throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<300 {
            let reach = [12, 120, 1_200, 99_999].randomElement(using: &random) ?? 12
            let (low, high) = (
                Int.random(in: -reach...reach, using: &random), Int.random(in: -reach...reach, using: &random)
            )
            guard low <= high else { continue }
            let program = try ConstraintProgram(
                schema: ["type": "integer", "minimum": .integer(low), "exclusiveMaximum": .integer(high + 1)])
            let near =
                Array((low - 12)...(low + 12)) + Array((high - 12)...(high + 12)) + [
                    0, -1, 1, low * 10, high * 10, low / 10, high / 10,
                ]
            for value in near {
                #expect(program.accepts("\(value)".utf8) == (low...high).contains(value), "\(low)...\(high): \(value)")
            }
        }
    }

    @Test("Every decimal near the bounds is accepted exactly if it lies between them")
    func decimals() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<300 {
            // Numbers are integers in hundredths, so that the comparison is exact.
            let (low, high) = (
                Int.random(in: -1_500...1_500, using: &random), Int.random(in: -1_500...1_500, using: &random)
            )
            guard low <= high else { continue }
            let program = try ConstraintProgram(
                schema: [
                    "type": "number", "minimum": .number(Double(low) / 100), "maximum": .number(Double(high) / 100),
                ])
            for value in Array((low - 15)...(low + 15)) + Array((high - 15)...(high + 15)) + [low * 10, high / 10]
            where value != 0 {
                let (whole, rest) = abs(value).quotientAndRemainder(dividingBy: 100)
                let text = "\(value < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
                #expect(program.accepts(text.utf8) == (low...high).contains(value), "\(low)...\(high): \(text)")
                #expect(
                    program.accepts("\(text)00".utf8) == (low...high).contains(value), "\(low)...\(high): \(text)00")
            }
        }
    }

    @Test(
        "Numbers are written as JSON has it",
        arguments: [
            ("0", true), ("-0", true), ("-1.5e-7", true), ("1E+05", true), ("123456789012345678901234", true),
            ("9.9e307", true),
            ("01", false), ("1.", false), (".5", false), ("+1", false), ("1e", false), ("1e400", false), ("--1", false),
            ("", false),
            ("0x1", false), ("NaN", false), ("1234567890123456789012345", false),
        ])
    func syntax(_ text: String, _ isNumber: Bool) throws {
        #expect(try ConstraintProgram(schema: ["type": "number"]).accepts(text.utf8) == isNumber)
        if isNumber { #expect((Double(text) ?? .infinity).isFinite) }
    }

    @Test("An integer has no fraction, exponent or sign of zero", arguments: ["1.0", "1e3", "-0", "00"])
    func integerSyntax(_ text: String) throws {
        #expect(try !ConstraintProgram(schema: ["type": "integer"]).accepts(text.utf8))
    }
}
