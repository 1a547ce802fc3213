// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Spells values as Python's `json.dumps` does; every character of a string keeps its mark, and braces, numbers and
/// the like have the origin of the container they belong to.
struct JSONPrinter {
    struct Style {
        var indentation: MarkedText?
        var itemSeparator: MarkedText
        var keySeparator: MarkedText
        var escapesNonASCII = false
        var sortsKeys = false
    }

    let style: Style
    private(set) var text = MarkedText()
    private var depth = 0

    init(style: Style) {
        self.style = style
    }

    mutating func print(_ value: Value, in origin: TemplateOrigin) throws(TemplateError) {
        switch value {
        case .none: text.append("null", origin)
        case .bool(let flag): text.append(flag ? "true" : "false", origin)
        case .integer(let number, let own): text.append(String(number), own)
        case .double(let number, let own): text.append(JSONPrinter.spelling(of: number), own)
        case .string(let string): printQuoted(string)
        case .sequence(let sequence):
            switch sequence.kind {
            case .list, .tuple, .group: try printList(sequence.items, origin: sequence.origin)
            default: throw notSerialisable(value)
            }
        case .mapping(let mapping): try printMembers(of: mapping)
        default: throw notSerialisable(value)
        }
    }

    private func notSerialisable(_ value: Value) -> TemplateError {
        TemplateError(.wrongType, "Object of type \(value.typeName) is not JSON serializable")
    }

    private static func spelling(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        return JSONText.number(number)
    }

    private mutating func printQuoted(_ string: MarkedText) {
        let escapesNonASCII = style.escapesNonASCII
        text.append("\"", string.origin)
        text.append(
            string.marked(asMarkup: false).mapScalars { _, scalar in
                var escaped = ""
                JSONText.appendEscaped(scalar, escapesNonASCII: escapesNonASCII, to: &escaped)
                return escaped
            })
        text.append("\"", string.origin)
    }

    private mutating func printList(_ items: [Value], origin: TemplateOrigin) throws(TemplateError) {
        guard !items.isEmpty else { return text.append("[]", origin) }
        text.append("[", origin)
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { print(style.itemSeparator, in: origin) }
            breakLine(origin)
            try print(item, in: origin)
        }
        depth -= 1
        breakLine(origin)
        text.append("]", origin)
    }

    private mutating func printMembers(of mapping: MappingValue) throws(TemplateError) {
        let origin = mapping.origin
        guard !mapping.members.isEmpty else { return text.append("{}", origin) }
        text.append("{", origin)
        depth += 1
        for (index, member) in try members(of: mapping).enumerated() {
            if index > 0 { print(style.itemSeparator, in: origin) }
            breakLine(origin)
            printQuoted(try name(member.key, origin))
            print(style.keySeparator, in: origin)
            try print(member.value, in: origin)
        }
        depth -= 1
        breakLine(origin)
        text.append("}", origin)
    }

    private func members(of mapping: MappingValue) throws(TemplateError) -> [(key: Value, value: Value)] {
        let members = mapping.members.elements.map { (key: $0.key, value: $0.value) }
        guard style.sortsKeys else { return members }
        let texts = members.allSatisfy { $0.key.text != nil }
        let numbers = members.allSatisfy { $0.key.double != nil }
        guard texts || numbers else { throw TemplateError(.wrongType, "keys of different types cannot be sorted") }
        return members.sorted { left, right in
            if let left = left.key.text, let right = right.key.text { return left < right }
            return (left.key.double ?? 0) < (right.key.double ?? 0)
        }
    }

    private func name(_ key: Value, _ origin: TemplateOrigin) throws(TemplateError) -> MarkedText {
        switch key {
        case .string(let text): return text
        case .none: return MarkedText("null", origin)
        case .bool(let flag): return MarkedText(flag ? "true" : "false", origin)
        case .integer(let number, let own): return MarkedText(String(number), own)
        case .double(let number, let own): return MarkedText(JSONPrinter.spelling(of: number), own)
        default: throw TemplateError(.wrongType, "keys must be str, int, float, bool or None, not \(key.typeName)")
        }
    }

    /// What stands between the elements of a container from the input is not the template's.
    private mutating func print(_ separator: MarkedText, in origin: TemplateOrigin) {
        text.append(origin == .input ? MarkedText(separator.scalars, .input) : separator)
    }

    private mutating func breakLine(_ origin: TemplateOrigin) {
        guard let indentation = style.indentation else { return }
        text.append("\n", origin)
        print(indentation.repeated(depth), in: origin)
    }
}
