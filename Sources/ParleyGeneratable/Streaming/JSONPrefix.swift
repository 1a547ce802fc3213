// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A JSON text that arrives in pieces, and the value it describes so far.
///
/// A string, object or array is complete at its closing quote or bracket; a number, `true`, `false` or `null` is
/// complete at the character after it. The results depend only on the text, not on how it is divided into pieces. If
/// the text turns out not to be JSON, there are no further results. Each byte is read once.
package struct JSONPrefix {
    private enum Place { case outside, name, text, word }

    /// What may come next, outside of names, texts and words.
    private enum Expected { case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd }

    /// An object or array whose closing bracket has not come yet, with its complete parts.
    private struct Container {
        let isObject: Bool
        private var elements: [JSONValue] = []
        private var members = JSONObject()
        /// The name of the next member.
        var name = ""

        init(isObject: Bool) { self.isObject = isObject }

        var value: JSONValue { isObject ? .object(members) : .array(elements) }

        mutating func add(_ value: JSONValue) {
            if isObject { members[name] = value } else { elements.append(value) }
        }

        func adding(_ value: JSONValue) -> Container {
            var other = self
            other.add(value)
            return other
        }
    }

    private var place = Place.outside
    private var expected = Expected.value
    /// The name, text or word that is being read.
    private var token: [UInt8] = []
    private var isEscaped = false
    /// All open objects and arrays, outermost first.
    private var containers: [Container] = []
    private var hasEnded = false

    private static let depthLimit = 128

    /// Creates an empty text.
    package init() {}

    /// Adds a piece of text.
    ///
    /// - Returns: the whole value so far, once for each inner value that this piece completes, in order.
    package mutating func append(_ piece: String) -> [PartialValue] {
        var values: [PartialValue] = []
        var rest = piece[...].utf8
        while let value = next(in: &rest) { values.append(value) }
        return values
    }

    /// Adds the next bytes of a piece of text, up to the first that completes an inner value, and removes them from it.
    ///
    /// - Returns: the whole value so far; nil if the rest of the piece completes no value.
    package mutating func next(in piece: inout Substring.UTF8View) -> PartialValue? {
        while !hasEnded, let byte = piece.first {
            // A number or a word is complete when a delimiter follows, which may complete another value.
            if place == .word, Self.isDelimiter(byte) {
                place = .outside
                if let value = complete(try? JSONValue(parsing: token)) { return value }
                continue
            }
            piece.removeFirst()
            if let value = read(byte) { return value }
        }
        return nil
    }

    /// Processes one byte.
    ///
    /// - Returns: the whole value so far if the byte completes an inner one.
    private mutating func read(_ byte: UInt8) -> PartialValue? {
        guard place != .outside else { return readOutside(byte) }
        token.append(byte)
        guard place != .word else { return nil }
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            return endString()
        }
        return nil
    }

    private mutating func endString() -> PartialValue? {
        let string = try? JSONValue(parsing: token)
        let isName = place == .name
        place = .outside
        guard isName else { return complete(string) }
        guard let name = string?.string, !containers.isEmpty else { return fail() }
        containers[containers.count - 1].name = name
        expected = .colon
        return nil
    }

    private mutating func readOutside(_ byte: UInt8) -> PartialValue? {
        let takesValue = expected == .value || expected == .valueOrEnd
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard takesValue, containers.count < Self.depthLimit else { return fail() }
            let isObject = byte == UInt8(ascii: "{")
            containers.append(Container(isObject: isObject))
            expected = isObject ? .nameOrEnd : .valueOrEnd
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            let mayEnd = expected == .commaOrEnd || expected == .valueOrEnd || expected == .nameOrEnd
            guard mayEnd, let container = containers.popLast(), container.isObject == (byte == UInt8(ascii: "}"))
            else { return fail() }
            return complete(container.value)
        case UInt8(ascii: ","):
            guard expected == .commaOrEnd, let container = containers.last else { return fail() }
            expected = container.isObject ? .name : .value
        case UInt8(ascii: ":"):
            guard expected == .colon else { return fail() }
            expected = .value
        case UInt8(ascii: "\""):
            let takesName = expected == .name || expected == .nameOrEnd
            guard takesName || takesValue else { return fail() }
            begin(takesName ? .name : .text, byte)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"),
            UInt8(ascii: "n"):
            guard takesValue else { return fail() }
            begin(.word, byte)
        default: return fail()
        }
        return nil
    }

    private mutating func begin(_ place: Place, _ byte: UInt8) {
        self.place = place
        token.removeAll(keepingCapacity: true)
        token.append(byte)
    }

    /// Adds a complete value, nil for one that is not JSON, to the object or array that holds it.
    ///
    /// - Returns: the whole value so far; nil if the outermost value is complete, or the text is not JSON.
    private mutating func complete(_ value: JSONValue?) -> PartialValue? {
        guard let value, !containers.isEmpty else { return fail() }
        containers[containers.count - 1].add(value)
        expected = .commaOrEnd
        var whole = containers[containers.count - 1].value
        for container in containers.dropLast().reversed() { whole = container.adding(whole).value }
        return PartialValue(whole, openDepth: containers.count)
    }

    /// Ends the results.
    private mutating func fail() -> PartialValue? {
        hasEnded = true
        return nil
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: " "), UInt8(ascii: "\n"),
            UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            true
        default: false
        }
    }
}
