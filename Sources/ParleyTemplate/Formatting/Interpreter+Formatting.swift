// SPDX-License-Identifier: Apache-2.0

extension Interpreter {
    /// Python's `format(value, specification)`.
    func format(_ value: Value, _ specification: FormatSpecification) throws(TemplateError) -> MarkedText {
        try charge(characters: specification.width + (specification.precision ?? 0))
        switch value {
        case .double(let number, let origin):
            return MarkedText(try NumberFormat.double(number, specification), origin)
        case .integer(let number, let origin):
            return MarkedText(try NumberFormat.integer(number, specification), origin)
        case .bool(let flag) where specification.type != nil && specification.type != "s":
            return MarkedText(try NumberFormat.integer(flag ? 1 : 0, specification), value.origin)
        default:
            guard specification.type == nil || specification.type == "s", specification.alignment != "=" else {
                throw TemplateError(.invalidValue, "Unknown format code for object of type '\(value.typeName)'")
            }
            return padded(try printed(value), specification, fallback: "<")
        }
    }

    /// The text cut to the precision and filled to the width.
    func padded(
        _ text: MarkedText, _ specification: FormatSpecification, fallback: Unicode.Scalar
    ) -> MarkedText {
        let cut = text[0..<min(text.count, specification.precision ?? text.count)]
        let missing = max(specification.width - cut.count, 0)
        let fill = MarkedText([specification.fill], .template)
        switch specification.alignment ?? fallback {
        case "<": return cut.padded(left: 0, right: missing, with: fill)
        case "^": return cut.padded(left: missing / 2, right: missing - missing / 2, with: fill)
        default: return cut.padded(left: missing, right: 0, with: fill)
        }
    }
}
