// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant

/// Reads XML 1.0 with namespaces in UTF-8, without type declarations, in bounded work and memory.
struct XMLTreeParser {
    private struct Open {
        var tag: ArraySlice<UInt8>
        var spaces: [String: String]
        var element: XMLTree
    }

    private let bytes: [UInt8]
    private let limits: XMLTree.Limits
    private var place = 0
    private var open: [Open] = []
    private var root: XMLTree?
    private var elements = 0

    init(_ data: Data, limits: XMLTree.Limits) {
        bytes = [UInt8](data)
        self.limits = limits
    }

    /// The root element.
    mutating func read() throws(AssistantError) -> XMLTree {
        guard String(validating: bytes, as: UTF8.self) != nil,
            bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D })
        else { throw invalid }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        while place < bytes.count {
            if bytes[place] != UInt8(ascii: "<") {
                try takeText()
            } else if take("<?") {
                try takeInstruction()
            } else if take("<!--") {
                _ = try take(until: "-->")
            } else if take("<![CDATA[") {
                guard !open.isEmpty else { throw invalid }
                append(Self.withOneLineEnd(String(decoding: try take(until: "]]>"), as: UTF8.self)))
            } else if take("<!") {
                throw AssistantError(.invalidAnswer, "The server's XML has a type declaration.")
            } else if take("</") {
                try takeEnd()
            } else {
                place += 1
                try takeStart()
            }
        }
        guard open.isEmpty, let root else { throw invalid }
        return root
    }

    private var invalid: AssistantError {
        AssistantError(.invalidAnswer, "The server's answer is not XML that can be read.")
    }

    // MARK: Elements

    private mutating func takeStart() throws(AssistantError) {
        elements += 1
        guard open.count < limits.depth, elements <= limits.elements else {
            throw AssistantError(.tooLarge, "The server's XML has too many or too deep elements.")
        }
        guard root == nil else { throw invalid }
        let tag = try takeName()
        var attributes: [String: String] = [:]
        var spaces = open.last?.spaces ?? [:]
        var isEmpty = false
        while true {
            let hasSpace = skipSpace()
            if take(">") { break }
            if take("/>") {
                isEmpty = true
                break
            }
            guard hasSpace else { throw invalid }
            let name = String(decoding: try takeName(), as: UTF8.self)
            skipSpace()
            guard take("=") else { throw invalid }
            skipSpace()
            let value = try takeValue()
            guard attributes.updateValue(value, forKey: name) == nil, attributes.count <= 100 else { throw invalid }
            if name == "xmlns" { spaces[""] = value }
            if name.hasPrefix("xmlns:") { spaces[String(name.dropFirst(6))] = value }
        }
        guard spaces.count <= 1_000 else { throw invalid }
        var element = XMLTree(try self.name(tag, spaces))
        element.attributes = attributes.filter { !$0.key.contains(":") && $0.key != "xmlns" }
        open.append(Open(tag: tag, spaces: spaces, element: element))
        if isEmpty { close() }
    }

    private mutating func takeEnd() throws(AssistantError) {
        let tag = try takeName()
        skipSpace()
        guard take(">"), open.last?.tag == tag else { throw invalid }
        close()
    }

    private mutating func close() {
        guard let last = open.popLast() else { return }
        if open.isEmpty { root = last.element } else { open[open.count - 1].element.children.append(last.element) }
    }

    /// The name of an element with the namespace of its prefix.
    private func name(_ tag: ArraySlice<UInt8>, _ spaces: [String: String]) throws(AssistantError) -> XMLTree.Name {
        let parts = tag.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count <= 2, !parts.contains("") else { throw invalid }
        if parts.count == 1 { return XMLTree.Name(spaces[""] ?? "", parts[0]) }
        if parts[0] == "xml" { return XMLTree.Name("http://www.w3.org/XML/1998/namespace", parts[1]) }
        guard let space = spaces[parts[0]] else { throw invalid }
        return XMLTree.Name(space, parts[1])
    }

    private mutating func takeInstruction() throws(AssistantError) {
        let text = String(decoding: try take(until: "?>"), as: UTF8.self).lowercased()
        if text.hasPrefix("xml "), text.contains("encoding"), !text.contains("utf-8"), !text.contains("us-ascii") {
            throw AssistantError(.invalidAnswer, "The server's XML is not in UTF-8.")
        }
    }

    // MARK: Text

    private mutating func takeText() throws(AssistantError) {
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "<") { place += 1 }
        let run = bytes[start..<place]
        if open.isEmpty {
            guard run.allSatisfy(Self.isSpace) else { throw invalid }
        } else {
            append(try text(run))
        }
    }

    private mutating func append(_ text: String) { open[open.count - 1].element.text += text }

    private mutating func takeValue() throws(AssistantError) -> String {
        guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]) else { throw invalid }
        let quote = bytes[place]
        let start = place + 1
        guard let end = bytes[start...].firstIndex(of: quote) else { throw invalid }
        place = end + 1
        guard !bytes[start..<end].contains(UInt8(ascii: "<")) else { throw invalid }
        return try text(bytes[start..<end])
    }

    /// Text with its references replaced.
    private func text(_ run: ArraySlice<UInt8>) throws(AssistantError) -> String {
        var result = ""
        var rest = run
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += Self.withOneLineEnd(String(decoding: rest[..<start], as: UTF8.self))
            guard let end = rest[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.scalar(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            else { throw invalid }
            result.unicodeScalars.append(scalar)
            rest = rest[(end + 1)...]
        }
        return result + Self.withOneLineEnd(String(decoding: rest, as: UTF8.self))
    }

    /// What a reference means; nil for an entity that only a declaration could define.
    private static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
            guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
                let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
                number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number)
            else { return nil }
            return Unicode.Scalar(number)
        }
    }

    /// XML has one character for each line end (section 2.11).
    private static func withOneLineEnd(_ text: String) -> String {
        guard text.utf8.contains(0x0D) else { return text }
        return text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = place
        while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
        return place > start
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let found = text.withUTF8Buffer { bytes[place...].starts(with: $0) }
        if found { place += text.utf8CodeUnitCount }
        return found
    }

    /// What comes before an end, which is taken too.
    private mutating func take(until end: String) throws(AssistantError) -> ArraySlice<UInt8> {
        let mark = Array(end.utf8)
        var next = place
        while let found = bytes[next...].firstIndex(of: mark[0]) {
            if bytes[found...].starts(with: mark) {
                defer { place = found + mark.count }
                return bytes[place..<found]
            }
            next = found + 1
        }
        throw invalid
    }

    /// A name; which letters it may have is not checked, only where it ends.
    private mutating func takeName() throws(AssistantError) -> ArraySlice<UInt8> {
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: break
            case _ where "-._:".utf8.contains(bytes[place]): break
            default:
                guard place > start, place - start <= 200 else { throw invalid }
                return bytes[start..<place]
            }
            place += 1
        }
        throw invalid
    }
}
