// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Testing

@Suite struct JSONWriterTests {
    static let value: JSONValue = ["b": [1, 2.0, nil], "a": ["é😀", [:], []]]

    @Test(
        "Each format writes what it promises",
        arguments: [
            (JSONFormat.compact, #"{"b":[1,2.0,null],"a":["é😀",{},[]]}"#),
            (JSONFormat.python, #"{"b": [1, 2.0, null], "a": ["é😀", {}, []]}"#),
            (JSONFormat(escapesNonASCII: true), #"{"b":[1,2.0,null],"a":["\u00e9\ud83d\ude00",{},[]]}"#),
            (JSONFormat(sortsKeys: true), #"{"a":["é😀",{},[]],"b":[1,2.0,null]}"#),
            (
                JSONFormat.pretty,
                """
                {
                  "b": [
                    1,
                    2.0,
                    null
                  ],
                  "a": [
                    "é😀",
                    {},
                    []
                  ]
                }
                """
            ),
        ])
    func formats(format: JSONFormat, text: String) {
        #expect(Self.value.text(format) == text)
    }

    @Test(
        "Doubles are spelled as Python spells them",
        arguments: [
            (1.0, "1.0"), (-1.5, "-1.5"), (0.1, "0.1"), (0.0, "0.0"), (-0.0, "-0.0"), (100, "100.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"), (1.5e16, "1.5e+16"), (1e22, "1e+22"), (1e100, "1e+100"), (0.0001, "0.0001"),
            (0.00001, "1e-05"), (1.25e-7, "1.25e-07"), (123456789.125, "123456789.125"), (1e-300, "1e-300"),
            (9_007_199_254_740_992, "9007199254740992.0"), (1.7976931348623157e308, "1.7976931348623157e+308"),
            (.leastNonzeroMagnitude, "5e-324"),
            (0.30000000000000004, "0.30000000000000004"),
        ])
    func doubles(value: Double, text: String) {
        #expect(JSONValue.number(value).text() == text)
    }

    @Test("Control characters, quotes and backslashes are escaped, DEL only among ASCII-only text")
    func escapes() {
        let value: JSONValue = "\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}"
        #expect(value.text() == #""\"\\/\b\f\n\r\t\u0001\u001f"# + "\u{7F}\"")
        #expect(value.text(JSONFormat(escapesNonASCII: true)) == #""\"\\/\b\f\n\r\t\u0001\u001f\u007f""#)
    }

    @Test("Infinity and NaN, which JSON does not have, are written as null")
    func nonFinite() {
        #expect(JSONValue.array([.number(.infinity), .number(.nan)]).text() == "[null,null]")
    }
}
