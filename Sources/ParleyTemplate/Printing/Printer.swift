// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Writes values as Python does.
///
/// Lists and dictionaries store their depth, but a namespace can contain itself, so the depth is counted again while
/// namespaces are printed.
struct Printer {
    /// The costs of writing an escaped character, and of writing a double, in ticks.
    static let priceOfEscape = 96
    static let priceOfDouble = 6 * Meter.ticksPerStep

    private let writer: TextWriter
    private var depth = 0
    /// The namespaces that are being printed, outermost first.
    private var namespaces: [ObjectIdentifier] = []

    init(writer: TextWriter) {
        self.writer = writer
    }

    mutating func printRepresentation(of value: Value) throws(TemplateError) {
        try writer.meter.work(16)
        switch value {
        case .undefined: try writer.append("Undefined", .template)
        case .none: try writer.append("None", value.origin)
        case .bool(let flag): try writer.append(flag ? "True" : "False", value.origin)
        case .integer(let number, let origin): try writer.append(string: String(number), origin)
        case .double(let number, let origin):
            try writer.meter.work(Printer.priceOfDouble)
            try writer.append(string: Printer.spelling(of: number), origin)
        case .string(let string): try printQuoted(string)
        case .sequence(let sequence): try nested { (printer) throws(TemplateError) in try printer.print(sequence) }
        case .mapping(let mapping): try nested { (printer) throws(TemplateError) in try printer.print(mapping) }
        case .namespace(let namespace): try nested { (printer) throws(TemplateError) in try printer.print(namespace) }
        case .loop(let loop):
            try writer.append("<LoopContext ", .template)
            try writer.append(string: String(loop.index + 1), .template)
            try writer.append(">", .template)
        case .callable(let callable): try writer.append(string: "<\(callable.typeName)>", .template)
        case .cycler: try writer.append("<Cycler>", .template)
        case .joiner: try writer.append("<Joiner>", .template)
        }
    }

    /// A float as `repr` spells it.
    static func spelling(of number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-inf" : "inf" }
        return JSONText.number(number)
    }

    private mutating func nested(_ body: (inout Printer) throws(TemplateError) -> Void) throws(TemplateError) {
        guard depth < writer.meter.limits.depth else { throw writer.meter.tooDeep }
        depth += 1
        try body(&self)
        depth -= 1
    }

    private mutating func print(_ sequence: SequenceValue) throws(TemplateError) {
        let origin = sequence.origin
        switch sequence.kind {
        case .list: try printItems("[", sequence.items, "]", origin)
        case .tuple, .group: try printItems("(", sequence.items, sequence.items.count == 1 ? ",)" : ")", origin)
        case .keys: try printItems("dict_keys([", sequence.items, "])", origin)
        case .values: try printItems("dict_values([", sequence.items, "])", origin)
        case .pairs: try printItems("dict_items([", sequence.items, "])", origin)
        case .range(let start, let stop, let step):
            try writer.append(string: "range(\(start), \(stop)" + (step == 1 ? ")" : ", \(step))"), origin)
        case .generator: try writer.append("<generator object>", origin)
        }
    }

    private mutating func printItems(
        _ opening: StaticString, _ items: [Value], _ closing: StaticString, _ origin: TemplateOrigin
    ) throws(TemplateError) {
        try writer.append(opening, origin)
        for (index, item) in items.enumerated() {
            if index > 0 { try writer.append(", ", origin) }
            try printRepresentation(of: item)
        }
        try writer.append(closing, origin)
    }

    private mutating func print(_ mapping: MappingValue) throws(TemplateError) {
        let origin = mapping.origin
        try writer.append("{", origin)
        for (index, (key, value)) in mapping.members.enumerated() {
            if index > 0 { try writer.append(", ", origin) }
            try printRepresentation(of: key.value)
            try writer.append(": ", origin)
            try printRepresentation(of: value)
        }
        try writer.append("}", origin)
    }

    /// A namespace inside itself is abbreviated, as in Python.
    private mutating func print(_ namespace: NamespaceValue) throws(TemplateError) {
        try writer.meter.work(namespaces.count)
        guard !namespaces.contains(ObjectIdentifier(namespace)) else {
            return try writer.append("<Namespace {...}>", .template)
        }
        namespaces.append(ObjectIdentifier(namespace))
        try writer.append("<Namespace {", .template)
        for (index, (name, value)) in namespace.attributes.enumerated() {
            if index > 0 { try writer.append(", ", .template) }
            try writer.append("'", .template)
            try writer.append(string: name, namespace.nameOrigin)
            try writer.append("': ", .template)
            try printRepresentation(of: value)
        }
        try writer.append("}>", .template)
        namespaces.removeLast()
    }

    private func printQuoted(_ string: MarkedText) throws(TemplateError) {
        let origin = string.origin
        if string.isMarkup { try writer.append("Markup(", origin) }
        try writer.meter.work(3 * string.size)
        let hasDouble = string.bytes.contains(UInt8(ascii: "\""))
        let quote: Unicode.Scalar = !hasDouble && string.bytes.contains(UInt8(ascii: "'")) ? "\"" : "'"
        try writer.append(scalar: quote, origin)
        // Characters without escapes are written in one piece.
        var start = 0
        for (index, scalar) in string.characters {
            try writer.meter.work(scalar.isASCII ? 2 : MarkedText.price(ofProperties: scalar))
            guard let escaped = Printer.escaped(scalar, quote: quote) else { continue }
            try writer.meter.work(Printer.priceOfEscape)
            try writer.append(string[start..<index])
            try writer.append(string: escaped, string.origin(at: index))
            start = string.end(after: index)
        }
        try writer.append(string[start..<string.size])
        try writer.append(scalar: quote, origin)
        if string.isMarkup { try writer.append(")", origin) }
    }

    /// The escape for a character that needs one; nil for others.
    private static func escaped(_ scalar: Unicode.Scalar, quote: Unicode.Scalar) -> String? {
        switch scalar {
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case quote: return "\\\(quote)"
        case " "..."~": return nil
        default: break
        }
        guard !scalar.isPythonPrintable else { return nil }
        let hex = String(scalar.value, radix: 16)
        let (prefix, width) = scalar.value < 0x100 ? ("\\x", 2) : scalar.value < 0x10000 ? ("\\u", 4) : ("\\U", 8)
        return prefix + String(repeating: "0", count: width - hex.count) + hex
    }
}
