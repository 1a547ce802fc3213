// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyConversation
import ParleyDialect
import ParleyJSON

/// A reference parser for valid calls, which shares no code with the parsers under test. It converts calls to JSON.
package enum CallReference {
    /// The calls in what follows an opening tag.
    package static func calls(
        in text: String, _ format: FunctionCallFormat
    ) throws -> [ParsedFunctionCall] {
        var bytes = Array(text.utf8)
        if let closing = format.parser.closing, bytes.suffix(closing.utf8.count) == Array(closing.utf8)[...] {
            bytes.removeLast(closing.utf8.count)
        }
        let json: [UInt8]
        switch format {
        case .lfmPythonic: json = fromPython(bytes)
        case .mistralNamed: json = fromNamed(bytes)
        case .gemma: json = fromMarked(bytes)
        default: json = bytes
        }
        guard let value = try? JSONValue(parsing: json) else {
            throw Failure("\(format.name): the reference cannot read \(text)")
        }
        return try (value.array ?? [value]).map { call in
            guard let name = call["name"]?.string, let arguments = (call["arguments"] ?? call["parameters"])?.object
            else { throw Failure("The reference cannot read \(text)") }
            return ParsedFunctionCall(name: name, arguments: arguments)
        }
    }

    /// `name[ARGS]{…}[TOOL_CALLS]name[ARGS]{…}` as a list in JSON.
    private static func fromNamed(_ bytes: [UInt8]) -> [UInt8] {
        var output = Array("[".utf8)
        var index = 0
        while index < bytes.count {
            if index > 0 {
                output += [UInt8(ascii: ",")]
                index += "[TOOL_CALLS]".utf8.count
            }
            let name = bytes[index...].prefix { $0 != UInt8(ascii: "[") }
            let start = bytes[name.endIndex...].firstIndex(of: UInt8(ascii: "{")) ?? bytes.count
            let end = endOfObject(bytes, start)
            output += Array("{\"name\":\"".utf8) + name + Array("\",\"arguments\":".utf8) + bytes[start..<end]
            output.append(UInt8(ascii: "}"))
            index = end
        }
        return output + Array("]".utf8)
    }

    /// `call:name{a:<|"|>x<|"|>}` in JSON.
    private static func fromMarked(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("<|\"|>".utf8)
        let start = bytes.firstIndex(of: UInt8(ascii: "{")) ?? bytes.count
        var output = Array("{\"name\":\"".utf8) + bytes[..<start].dropFirst("call:".utf8.count)
        output += Array("\",\"arguments\":".utf8)
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                let end = min(endOfString(bytes, index), bytes.count)
                output += bytes[index..<end]
                index = end
            } else if bytes[index...].starts(with: mark) {
                let first = index + mark.count
                index = first
                while index < bytes.count, !bytes[index...].starts(with: mark) { index += 1 }
                output += Array(JSONValue.string(String(decoding: bytes[first..<index], as: UTF8.self)).text().utf8)
                index += mark.count
            } else if isWord(bytes[index]) {
                let word = Array(bytes[index...].prefix(while: isWord))
                index += word.count
                let isName = index < bytes.count && bytes[index] == UInt8(ascii: ":")
                output += isName ? [UInt8(ascii: "\"")] + word + [UInt8(ascii: "\"")] : word
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output + [UInt8(ascii: "}")]
    }

    private static func endOfObject(_ bytes: [UInt8], _ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = endOfString(bytes, index) - 1
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    /// The index behind a string's closing quote.
    private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    /// `[f(a=1, b={"c": True})]` as a list in JSON.
    private static func fromPython(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var isUnpacked = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let end = endOfString(bytes, index)
                output += bytes[index..<min(end, bytes.count)]
                index = end
            } else if isWord(byte) {
                let word = Array(bytes[index...].prefix(while: isWord))
                index += word.count
                switch index < bytes.count ? bytes[index] : 0 {
                case UInt8(ascii: "("):
                    output += Array("{\"name\":\"".utf8) + word + Array("\",\"arguments\":".utf8)
                    isUnpacked = bytes[index...].starts(with: Array("(**".utf8))
                    if isUnpacked {
                        index += 3
                    } else {
                        output.append(UInt8(ascii: "{"))
                        index += 1
                    }
                case UInt8(ascii: "="):
                    output += [UInt8(ascii: "\"")] + word + Array("\":".utf8)
                    index += 1
                default: output += words[String(decoding: word, as: UTF8.self)].map { Array($0.utf8) } ?? word
                }
            } else {
                output += byte == UInt8(ascii: ")") ? Array((isUnpacked ? "}" : "}}").utf8) : [byte]
                index += 1
            }
        }
        return output
    }

    private static let words = ["True": "true", "False": "false", "None": "null"]

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "+"), 0x80...:
            true
        default: false
        }
    }
}
