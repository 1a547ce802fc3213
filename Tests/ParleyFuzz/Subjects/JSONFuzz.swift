// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON
import ParleyRuntime

/// Almost valid JSON texts. A parsed value is written in every format and parsed to the same value, and no number
/// changes its value.
struct JSONFuzz: FuzzSubject {
    static let name = "json"

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "null", "true", "false", "-", "0", "1",
        "1e308", "1e999", "1e-999", "9223372036854775808", "-9223372036854775809", "0.1000000000000000000001", ".", "e",
        "E+", " ", "\n", "\u{0}", "é", "😀", "e\u{301}", "99999999999999999999", "\"a\":", ",\"a\":1",
    ].map { Array($0.utf8) }
    private static let seeds = [
        #"{"a": [1, 2.5, -0, 1e10, "x\n\u00e9😀", null, true, false, {"b": {}}], "c": []}"#,
        #"[[[[[[]]]]], {"": "", "\"": "\\"}, 18446744073709551615, 0.1]"#,
    ].map { Array($0.utf8) }
    private static let formats = [
        JSONFormat.compact, .python, .pretty, JSONFormat(escapesNonASCII: true),
    ]

    func run(_ random: inout SplitMix64) throws {
        try checkNumber(&random)
        var bytes = random.mutated(random.pick(Self.seeds), changes: 12, with: Self.pieces)
        if random.oneIn(200) {
            let depth = random.int(200...20_000)
            bytes = [UInt8](repeating: UInt8(ascii: "["), count: depth) + bytes
            if random.oneIn(2) { bytes += [UInt8](repeating: UInt8(ascii: "]"), count: depth) }
        }
        let limits = JSONLimits(depth: random.int(0...1_000), bytes: random.oneIn(50) ? 20 : 1 << 20)
        guard let value = try? JSONValue(parsing: bytes, limits: limits) else { return }
        guard bytes.count <= limits.bytes else { throw FuzzFailure("\(bytes.count) bytes were read.") }
        for format in Self.formats {
            let text = value.text(format)
            guard try JSONValue(parsing: Array(text.utf8), limits: JSONLimits(depth: 512)) == value else {
                throw FuzzFailure("What is written as \(text) is read differently.")
            }
        }
        let sorted = JSONFormat(sortsKeys: true)
        let text = value.text(sorted)
        guard try JSONValue(parsing: text, limits: JSONLimits(depth: 512)).text(sorted) == text else {
            throw FuzzFailure("Sorted, \(text) is written differently the second time.")
        }
    }

    /// A number in any spelling has the same value after parsing and writing it.
    private func checkNumber(_ random: inout SplitMix64) throws {
        var text = random.oneIn(2) ? "-" : ""
        for _ in 0..<random.int(1...(random.oneIn(8) ? 40 : 6)) { text += String(random.int(0...9)) }
        if random.oneIn(2) {
            text += "."
            for _ in 0..<random.int(1...(random.oneIn(8) ? 30 : 5)) { text += String(random.int(0...9)) }
        }
        if random.oneIn(3) {
            text += random.pick(["e", "E", "e+", "e-"]) + String(random.int(0...(random.oneIn(4) ? 400 : 9)))
        }
        guard let value = JSONValue(number: text) else { return }
        guard DecimalDigits(value.text()) == DecimalDigits(text) else {
            throw FuzzFailure("\(text) is written as \(value.text()).")
        }
    }
}
