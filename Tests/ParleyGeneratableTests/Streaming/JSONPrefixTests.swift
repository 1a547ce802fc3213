// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import Parley
import ParleyGeneratable
import ParleyJSON
import ParleyTesting
import Testing

@Suite("An incomplete JSON text")
struct JSONPrefixTests {
    private static let replies = [
        #"{"name": "a\"},\\", "list": [1, -2.5e3, [true, null]], "map": {"x": {"y": []}}, "last": 12}"#,
        "[\n  {\"ü\": \"€😀\"},\n  {}, [], \"\\ud83d\\ude00\", false\n]",
        #"{"a":{"b":{"c":"d"}},"e":[{"f":1},{"f":2}]}"#,
    ]

    @Test("Every prefix has the complete values, and nothing else", arguments: replies)
    func everyPrefix(reply: String) throws {
        let whole = try JSONValue(parsing: reply)
        for length in 0...reply.unicodeScalars.count {
            var prefix = JSONPrefix()
            let text = String(String.UnicodeScalarView(reply.unicodeScalars.prefix(length)))
            for value in prefix.append(text) { #expect(Self.isPart(value, of: whole)) }
        }
    }

    @Test("The result does not depend on how the text was split", arguments: replies)
    func cuts(reply: String) {
        var prefix = JSONPrefix()
        let values = prefix.append(reply)
        #expect(!values.isEmpty)
        for seed in 0..<50 as Range<UInt64> {
            var prefix = JSONPrefix()
            #expect(TokenCuts.random(seed: seed).tokens(of: reply).flatMap { prefix.append($0) } == values)
        }
    }

    @Test("Each value extends the one before, and the last is complete", arguments: replies)
    func growth(reply: String) throws {
        var prefix = JSONPrefix()
        let values = prefix.append(reply)
        for (earlier, later) in zip(values, values.dropFirst()) {
            #expect(Self.size(earlier) <= Self.size(later))
        }
        // Each value but the outermost ends once.
        let count = Self.size(try JSONValue(parsing: reply))
        #expect(values.count == count - 1)
        let last = try #require(values.last)
        #expect(!last.isComplete)
        #expect(Self.size(last) == count)
    }

    @Test(
        "A string or number appears when it is complete",
        arguments: [
            (#"{"a": "xy"#, 0), (#"{"a": "xy""#, 1), (#"{"a": 12"#, 0), (#"{"a": 12 "#, 1), (#"{"a": tru"#, 0),
            (#"{"a": true}"#, 1), (#"{"a""#, 0), (#"{"a": {"b"#, 0), (#"{"a": {"b": 1}"#, 2), (#""whole""#, 0),
        ])
    func leaves(text: String, count: Int) {
        var prefix = JSONPrefix()
        #expect(prefix.append(text).count == count)
    }

    @Test("A value so far is made from the one before, however many there are in one piece")
    func manyValues() {
        // Parsing all of the text for each value would take hours, and keeping all of them all memory.
        let count = 200_000
        let text = "{\"a\": [" + String(repeating: "1,", count: count)
        var prefix = JSONPrefix()
        var rest = text[...].utf8
        var found = 0
        var last: PartialValue?
        while let value = prefix.next(in: &rest) {
            found += 1
            last = found == count ? value : nil
        }
        #expect(found == count)
        #expect(last?.members?.first?.value.elements?.count == count)
    }

    @Test(
        "Nothing comes after a fault between the values",
        arguments: [
            "[[1,],", "[[,1],", "[1 2,", "{\"a\" 1,", "{\"a\":,", "{\"a\":1,}", "{1:2,", "[1:2,", "[\u{FEFF}1,", "[01,",
            "{\"a\":1 \"b\":2,", "[\"a\" \"b\",", "[\"\\x\",", "[nul,", "[:", "[}",
        ])
    func faults(text: String) {
        var prefix = JSONPrefix()
        #expect(prefix.append(text).count <= 1)
        #expect(prefix.append("[3], 4, ").isEmpty)
    }

    @Test(
        "Text that is not JSON gives no value, however long or deep",
        arguments: [
            "", "Hello, \"you\" there", "{]", "{\"a\" 1, 2}", "]", String(repeating: "[", count: 100_000) + "1,",
            "[1, oops, 2]", "{\"a\":1}{\"b\":2}",
        ])
    func garbage(text: String) {
        var prefix = JSONPrefix()
        #expect(prefix.append(text).count <= 1)
        #expect(prefix.append("\"x\", 1 ] }").isEmpty)
    }

    // MARK: Comparing

    /// Whether a partial value is part of a whole one, with equal complete members.
    private static func isPart(_ part: PartialValue, of whole: JSONValue) -> Bool {
        if let members = part.members {
            guard let object = whole.object, !part.isComplete || members.count == object.count else { return false }
            return members.allSatisfy { name, value in whole[name].map { isPart(value, of: $0) } ?? false }
        }
        if let elements = part.elements {
            guard let array = whole.array, !part.isComplete || elements.count == array.count else { return false }
            return elements.count <= array.count && zip(elements, array).allSatisfy(isPart)
        }
        return part.isComplete && part.isLeaf(whole)
    }

    /// The number of values in a partial value.
    private static func size(_ value: PartialValue) -> Int {
        if let members = value.members { return members.reduce(1) { $0 + size($1.value) } }
        return value.elements?.reduce(1) { $0 + size($1) } ?? 1
    }

    private static func size(_ value: JSONValue) -> Int {
        let parts = value.array ?? value.object.map { Array($0.values) } ?? []
        return parts.reduce(1) { $0 + size($1) }
    }
}

extension PartialValue {
    /// Whether this is a text, number, truth value or null that is the same as another.
    fileprivate func isLeaf(_ value: JSONValue) -> Bool {
        switch value {
        case .null: isNull
        case .bool(let bool): decoded(as: Bool.self) == bool
        case .string(let text): decoded(as: String.self) == text
        case .integer, .number, .decimal: decoded(as: Double.self) == value.number
        case .array, .object: false
        }
    }
}
