// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Writes values as Python's `json.dumps` does. Every character of a string keeps its origin; braces, numbers and the
/// like have the origin of their container.
///
/// The depth of values is bounded when they are made, which bounds this recursion.
struct JSONPrinter {
    struct Style {
        var indentation: MarkedText?
        var itemSeparator: MarkedText
        var keySeparator: MarkedText
        var escapesNonASCII = false
        var sortsKeys = false
    }

    private let style: Style
    private let writer: TextWriter
    private let interpreter: Interpreter
    private var depth = 0

    init(style: Style, writer: TextWriter, interpreter: Interpreter) {
        self.style = style
        self.writer = writer
        self.interpreter = interpreter
    }

    mutating func print(_ value: Value, in origin: TemplateOrigin) throws(TemplateError) {
        try writer.meter.work(16)
        switch value {
        case .none: try writer.append("null", origin)
        case .bool(let flag): try writer.append(flag ? "true" : "false", origin)
        case .integer(let number, let own): try writer.append(string: String(number), own)
        case .double(let number, let own): try print(number, own)
        case .string(let string): try printQuoted(string)
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

    private func print(_ number: Double, _ origin: TemplateOrigin) throws(TemplateError) {
        try writer.meter.work(Printer.priceOfDouble)
        if number.isNaN { return try writer.append("NaN", origin) }
        if number.isInfinite { return try writer.append(number < 0 ? "-Infinity" : "Infinity", origin) }
        try writer.append(string: JSONText.number(number), origin)
    }

    private func printQuoted(_ string: MarkedText) throws(TemplateError) {
        let origin = string.origin
        try writer.append("\"", origin)
        // Characters without escapes are written in one piece.
        var start = 0
        for (index, scalar) in string.characters {
            try writer.meter.work(1)
            switch scalar {
            case "\"", "\\": break
            case " "..."~": continue
            case "\u{7F}"...: if !style.escapesNonASCII { continue }
            default: break
            }
            try writer.append(string[start..<index])
            try writer.meter.work(Printer.priceOfEscape)
            var escaped = ""
            JSONText.appendEscaped(scalar, escapesNonASCII: style.escapesNonASCII, to: &escaped)
            try writer.append(string: escaped, string.origin(at: index))
            start = string.end(after: index)
        }
        try writer.append(string[start..<string.size])
        try writer.append("\"", origin)
    }

    private mutating func printList(_ items: [Value], origin: TemplateOrigin) throws(TemplateError) {
        guard !items.isEmpty else { return try writer.append("[]", origin) }
        try writer.append("[", origin)
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { try print(style.itemSeparator, in: origin) }
            try breakLine(origin)
            try print(item, in: origin)
        }
        depth -= 1
        try breakLine(origin)
        try writer.append("]", origin)
    }

    private mutating func printMembers(of mapping: MappingValue) throws(TemplateError) {
        let origin = mapping.origin
        guard !mapping.members.isEmpty else { return try writer.append("{}", origin) }
        try writer.append("{", origin)
        depth += 1
        let order = style.sortsKeys ? try sortedIndices(of: mapping) : nil
        for index in 0..<mapping.members.count {
            let (key, value) = mapping.members.elements[order?[index] ?? index]
            if index > 0 { try print(style.itemSeparator, in: origin) }
            try breakLine(origin)
            try print(key: key.value, origin)
            try print(style.keySeparator, in: origin)
            try print(value, in: origin)
        }
        depth -= 1
        try breakLine(origin)
        try writer.append("}", origin)
    }

    private func sortedIndices(of mapping: MappingValue) throws(TemplateError) -> Row<Int> {
        try writer.meter.work(2 * mapping.members.count)
        let keys = mapping.members.keys
        let texts = keys.allSatisfy { $0.value.text != nil }
        let numbers = keys.allSatisfy { $0.value.double != nil }
        guard texts || numbers else { throw TemplateError(.wrongType, "keys of different types cannot be sorted") }
        return try interpreter.sortedIndices(keys.count) { (left, right) throws(TemplateError) in
            if let left = keys[left].value.text, let right = keys[right].value.text {
                return try left.precedes(right, writer.meter)
            }
            return (keys[left].value.double ?? 0) < (keys[right].value.double ?? 0)
        }
    }

    private func print(key: Value, _ origin: TemplateOrigin) throws(TemplateError) {
        if let text = key.text { return try printQuoted(text) }
        try writer.append("\"", key.numberOrigin ?? origin)
        switch key {
        case .none: try writer.append("null", origin)
        case .bool(let flag): try writer.append(flag ? "true" : "false", origin)
        case .integer(let number, let own): try writer.append(string: String(number), own)
        case .double(let number, let own): try print(number, own)
        default: throw TemplateError(.wrongType, "keys must be str, int, float, bool or None, not \(key.typeName)")
        }
        try writer.append("\"", key.numberOrigin ?? origin)
    }

    /// Writes a separator; in a container from the input it counts as input.
    private func print(_ separator: MarkedText, in origin: TemplateOrigin) throws(TemplateError) {
        if origin == .input { try writer.append(separator, as: .input) } else { try writer.append(separator) }
    }

    private func breakLine(_ origin: TemplateOrigin) throws(TemplateError) {
        guard let indentation = style.indentation else { return }
        try writer.append("\n", origin)
        for _ in 0..<depth { try print(indentation, in: origin) }
    }
}

extension Value {
    /// The origin of an integer or a double.
    fileprivate var numberOrigin: TemplateOrigin? {
        switch self {
        case .integer(_, let origin), .double(_, let origin): origin
        default: nil
        }
    }
}
