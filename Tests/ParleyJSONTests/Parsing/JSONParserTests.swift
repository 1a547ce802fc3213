// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Testing

@Suite struct JSONParserTests {
    static let documents: [(String, JSONValue)] = [
        ("null", JSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("1", 1), ("1.0", 1.0),
        ("-12", -12), ("1e2", 100.0), ("2.5E-1", 0.25), ("9223372036854775807", 9_223_372_036_854_775_807),
        ("-0.0", JSONValue.number(-0.0)), ("[]", []),
        ("{}", [:]),
        ("[1,\t[2] ,\n{}]", [1, [2], [:]]), (#"{"a":1,"b":{"c":[]}}"#, ["a": 1, "b": ["c": []]]),
        (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u0041\u00e9\ud83d\ude00""#, "Aé😀"),
        ("\"é😀\"", "é😀"), ("\u{FEFF}1", 1), (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]), (#""\u0000""#, "\0"),
    ]

    @Test("Valid documents parse to the values they spell", arguments: documents)
    func valid(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(
        "Documents that break the grammar are refused",
        arguments: [
            "", " ", "nul", "True", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "[1,]", "[1 2]", "[", "]",
            "{",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "{'a':1}", "\"", "\"\n\"", #""\x""#, #""\u12""#, #""\u12g4""#,
            "1 2", "// c\n1", "[1]x", "\"\\", "tru", "\u{0}", "1\u{0}",
        ])
    func invalid(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .invalidSyntax)
    }

    @Test(
        "Bytes that are not UTF-8 and lone surrogates are refused as text",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], Array(#""\ud83d""#.utf8),
            Array(#""\ude00""#.utf8), Array(#""\ud83d\u0041""#.utf8), Array(#""\ud83dx""#.utf8),
        ] as [[UInt8]])
    func invalidText(bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.code == .invalidText)
    }

    @Test("An error names the line and the column of the fault")
    func place() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "{\n  \"a\": 1,\n  \"b\": x\n}") }
        #expect(error?.line == 3)
        #expect(error?.column == 8)
    }

    @Test("Depth is bounded, whatever limit is asked for")
    func depth() throws {
        let nest = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: Never.self) { try JSONValue(parsing: nest(256)) }
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: nest(257)) }
        #expect(error?.code == .tooDeep)
        var unbounded = JSONLimits()
        unbounded.depth = .max
        #expect(throws: JSONError.self) { try JSONValue(parsing: nest(100_000), limits: unbounded) }
    }

    @Test("Size and range are bounded")
    func bounds() {
        let size = #expect(throws: JSONError.self) { try JSONValue(parsing: "[1, 2]", limits: JSONLimits(bytes: 5)) }
        #expect(size?.code == .tooLarge)
        let range = #expect(throws: JSONError.self) { try JSONValue(parsing: "[1e999]") }
        #expect(range?.code == .numberOutOfRange)
    }

    @Test("the number of values has a limit, counting every member and element")
    func limitsValues() throws {
        let limits = JSONLimits(values: 4)
        #expect(try JSONValue(parsing: #"{"a": [1, 2]}"#, limits: limits) == ["a": [1, 2]])
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "[[], [], 3, 4]", limits: limits) }
        #expect(error?.code == .tooLarge)
    }

    @Test("More combining marks in a row than the limits say are refused, in names and escapes too")
    func limitsMarks() throws {
        let limits = JSONLimits(marks: 4)
        let (four, five) = (String(repeating: "\u{316}\u{300}", count: 2), String(repeating: "\u{316}", count: 5))
        let texts = ["\"e\(four)e\(four)\"", "\"\(String(repeating: "語", count: 40))\"", "\"\(four)\\n\(four)\""]
        for text in texts { #expect(throws: Never.self) { try JSONValue(parsing: text, limits: limits) } }
        let escapes = String(repeating: "\\u0316", count: 5)
        for text in ["\"e\(five)\"", "\"\(four)\\u0F73\"", "\"\(escapes)\"", "{\"\(five)\": 1}"] {
            #expect(throws: Never.self) { try JSONValue(parsing: text) }
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text, limits: limits) }
            #expect(error?.code == .invalidText)
        }
    }

    @Test("two members of one name are refused where the limits say so")
    func refusesRepeatedNames() throws {
        let limits = JSONLimits(requiresDistinctNames: true)
        #expect(try JSONValue(parsing: #"{"a": {"a": 1}, "b": 2}"#, limits: limits)["b"] == 2)
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: #"{"a": 1, "\u0061": 2}"#, limits: limits)
        }
        #expect(error?.code == .repeatedName)
    }

    @Test("No truncation and no changed byte of a document crashes the parser")
    func fuzz() throws {
        let document = Array(#"{"a": [1, -2.5e+3, "x\u00e9\n", {"b": null}], "é": [true, false, "\ud83d\ude00"]}"#.utf8)
        for count in 0..<document.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: document.prefix(count)) }
        }
        for index in document.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = document
                changed[index] = byte
                if let value = try? JSONValue(parsing: changed) {
                    #expect(try JSONValue(parsing: value.text()) == value)
                }
            }
        }
    }

    @Test("Megabytes parse and are written back unchanged")
    func megabytes() throws {
        let item: JSONValue = ["role": "user", "content": "Some text, \"quoted\", é.", "n": 12, "p": 0.5, "l": [1, 2]]
        let value = JSONValue.array(Array(repeating: item, count: 20_000))
        let text = value.text()
        #expect(text.utf8.count > 1_000_000)
        #expect(try JSONValue(parsing: text) == value)
    }
}
