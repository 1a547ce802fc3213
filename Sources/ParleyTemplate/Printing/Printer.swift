// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Spells values as Python does.
///
/// The depth of values is bounded where they are made, and so is this recursion.
struct Printer {
    private(set) var text = MarkedText()

    mutating func printRepresentation(of value: Value) {
        switch value {
        case .undefined: text.append("Undefined", .template)
        case .none: text.append("None", value.origin)
        case .bool(let flag): text.append(flag ? "True" : "False", value.origin)
        case .integer(let number, let origin): text.append(String(number), origin)
        case .double(let number, let origin): text.append(Printer.spelling(of: number), origin)
        case .string(let string): printQuoted(string)
        case .sequence(let sequence): printSequence(sequence)
        case .mapping(let mapping):
            printMembers(mapping.members.lazy.map { ($0.key, $0.value) }, origin: mapping.origin)
        case .namespace(let namespace): printNamespace(namespace)
        case .loop(let loop): text.append("<LoopContext \(loop.index + 1)>", .template)
        case .callable(let callable): text.append("<\(callable.typeName)>", .template)
        case .cycler: text.append("<Cycler>", .template)
        case .joiner: text.append("<Joiner>", .template)
        }
    }

    /// A float as `repr` spells it.
    static func spelling(of number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-inf" : "inf" }
        return JSONText.number(number)
    }

    private mutating func printSequence(_ sequence: SequenceValue) {
        let origin = sequence.origin
        switch sequence.kind {
        case .list: printItems("[", sequence.items, "]", origin)
        case .tuple, .group: printItems("(", sequence.items, sequence.items.count == 1 ? ",)" : ")", origin)
        case .keys: printItems("dict_keys([", sequence.items, "])", origin)
        case .values: printItems("dict_values([", sequence.items, "])", origin)
        case .pairs: printItems("dict_items([", sequence.items, "])", origin)
        case .range(let start, let stop, let step):
            text.append("range(\(start), \(stop)" + (step == 1 ? ")" : ", \(step))"), origin)
        case .generator: text.append("<generator object>", origin)
        }
    }

    private mutating func printItems(
        _ opening: String, _ items: [Value], _ closing: String, _ origin: TemplateOrigin
    ) {
        text.append(opening, origin)
        for (index, item) in items.enumerated() {
            if index > 0 { text.append(", ", origin) }
            printRepresentation(of: item)
        }
        text.append(closing, origin)
    }

    private mutating func printMembers(_ members: some Sequence<(Value, Value)>, origin: TemplateOrigin) {
        text.append("{", origin)
        for (index, (key, value)) in members.enumerated() {
            if index > 0 { text.append(", ", origin) }
            printRepresentation(of: key)
            text.append(": ", origin)
            printRepresentation(of: value)
        }
        text.append("}", origin)
    }

    /// Namespaces can contain themselves: inner ones are abbreviated.
    private mutating func printNamespace(_ namespace: NamespaceValue) {
        text.append("<Namespace ", .template)
        let members = namespace.attributes.elements.lazy.map { name, value in
            if case .namespace = value { return (Value.text(name), Value.text("…")) }
            return (Value.text(name), value)
        }
        printMembers(members, origin: .template)
        text.append(">", .template)
    }

    private mutating func printQuoted(_ string: MarkedText) {
        if string.isMarkup { text.append("Markup(", string.origin) }
        let quote: Unicode.Scalar = string.scalars.contains("'") && !string.scalars.contains("\"") ? "\"" : "'"
        text.append(quote, string.origin)
        text.append(
            string.marked(asMarkup: false).mapScalars { _, scalar in Printer.escaped(scalar, quote: quote) })
        text.append(quote, string.origin)
        if string.isMarkup { text.append(")", string.origin) }
    }

    private static func escaped(_ scalar: Unicode.Scalar, quote: Unicode.Scalar) -> String {
        switch scalar {
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case quote: return "\\\(quote)"
        default: break
        }
        guard !scalar.isPythonPrintable else { return String(scalar) }
        let hex = String(scalar.value, radix: 16)
        let (prefix, width) = scalar.value < 0x100 ? ("\\x", 2) : scalar.value < 0x10000 ? ("\\u", 4) : ("\\U", 8)
        return prefix + String(repeating: "0", count: width - hex.count) + hex
    }
}
