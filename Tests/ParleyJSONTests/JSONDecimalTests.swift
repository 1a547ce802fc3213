// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Testing

@Suite("Numbers that neither Int nor Double holds")
struct JSONDecimalTests {
    @Test(
        "They are written as they were read",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "18446744073709551615", "1000000000000000000000000000000",
            "0.1000000000000000001", "3.14159265358979323846", "1e-400", "-1E-999999999999999999999",
            "9007199254740993.0", "1.7976931348623157e308",
        ])
    func spelling(_ text: String) throws {
        let value = try JSONValue(parsing: "[\(text)]")
        #expect(DecimalDigits(try JSONValue(parsing: value.text())[0]?.description ?? "") == DecimalDigits(text))
        #expect(value[0]?.number?.isFinite == true)
        #expect(value[0]?.integer == nil)
    }

    @Test(
        "A number that a double represents without loss is a double",
        arguments: [("1e2", 100.0), ("0.1", 0.1), ("1.50", 1.5), ("-0.0", -0.0), ("5e-324", 5e-324), ("0e9", 0)])
    func doubles(_ text: String, _ number: Double) {
        #expect(JSONValue(number: text) == .number(number))
    }

    @Test("Integers of any width become values without loss")
    func integers() {
        #expect(JSONValue(UInt64.max).text() == "18446744073709551615")
        #expect(JSONValue(UInt8.max) == 255)
        #expect(JSONValue(Int64.min) == .integer(.min))
    }

    @Test(
        "Text that is not a number gives no value",
        arguments: ["", "-", "01", "1 ", " 1", "+1", "1e", "1e999", "x", "0x1"])
    func others(_ text: String) {
        #expect(JSONValue(number: text) == nil)
    }

    @Test(
        "Decimal digits are equal exactly where numbers are",
        arguments: [
            ("1", "1.0", true), ("100", "1e2", true), ("0.001", "1E-3", true), ("0", "-0.0e5", true),
            ("10", "1", false),
            ("-1", "1", false), ("0.5", "0.05", false), ("12e-1", "1.2", true),
            ("9007199254740993", "9007199254740992", false),
        ])
    func digits(_ left: String, _ right: String, _ areEqual: Bool) {
        #expect((DecimalDigits(left) == DecimalDigits(right)) == areEqual)
    }
}
