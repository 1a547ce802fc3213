// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyRuntime

/// JSON texts, nearly right: what is read is written and read to the same value.
struct JSONFuzz: FuzzSubject {
    static let name = "json"

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "null", "true", "false", "-", "0", "1",
        "1e308", "1e999", "9223372036854775808", "-9223372036854775809", ".", "e", " ", "\n", "\u{0}", "é", "😀",
    ].map { Array($0.utf8) }
    private static let seeds = [
        #"{"a": [1, 2.5, -0, 1e10, "x\n\u00e9😀", null, true, false, {"b": {}}], "c": []}"#,
        #"[[[[[[]]]]], {"": "", "\"": "\\"}, 18446744073709551615, 0.1]"#,
    ].map { Array($0.utf8) }

    func run(_ random: inout SplitMix64) throws {
        let bytes = random.mutated(random.pick(Self.seeds), changes: 12, with: Self.pieces)
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let text = value.text()
        guard try JSONValue(parsing: Array(text.utf8)) == value else {
            throw FuzzFailure("What is written as \(text) is read differently.")
        }
    }
}
