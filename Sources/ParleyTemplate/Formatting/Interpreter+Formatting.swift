// SPDX-License-Identifier: Apache-2.0

extension Interpreter {
    /// Writes Python's `format(value, specification)`.
    func write(
        _ value: Value, _ specification: FormatSpecification, escaping: Bool, to writer: TextWriter
    ) throws(TemplateError) {
        switch value {
        case .double(let number, let origin):
            try writer.append(try NumberFormat.double(number, specification, meter), specification, origin, ">")
        case .integer(let number, let origin):
            try writer.append(try NumberFormat.integer(number, specification, meter), specification, origin, ">")
        case .bool(let flag) where specification.type != nil && specification.type != "s":
            let number = try NumberFormat.integer(flag ? 1 : 0, specification, meter)
            try writer.append(number, specification, value.origin, ">")
        default:
            if case .undefined(let undefined) = value, !specification.isEmpty { throw undefined.error }
            guard specification.type == nil || specification.type == "s", specification.alignment != "=" else {
                throw TemplateError(.invalidValue, "Unknown format code for object of type '\(value.typeName)'")
            }
            try write(padding: try printed(value), specification, fallback: "<", escaping: escaping, to: writer)
        }
    }

    /// Writes the text cut to the precision and filled to the width.
    func write(
        padding text: MarkedText, _ specification: FormatSpecification, fallback: Unicode.Scalar, escaping: Bool,
        to writer: TextWriter
    ) throws(TemplateError) {
        try meter.work(48)
        let count = try text.count(meter)
        var cut = text
        if let precision = specification.precision, precision < count { cut = try text.slice(0..<precision, meter) }
        let missing = max(specification.width - min(count, specification.precision ?? count), 0)
        let left =
            switch specification.alignment ?? fallback {
            case "<": 0
            case "^": missing / 2
            default: missing
            }
        let fill = try specification.fillText(specification.fillOrigin, meter)
        let padded = try self.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
            try writer.append(fill, times: left)
            try writer.append(cut)
            try writer.append(fill, times: missing - left)
        }
        if escaping { try writer.append(escaping: padded) } else { try writer.append(padded) }
    }
}

extension FormatSpecification {
    fileprivate func fillText(_ origin: TemplateOrigin, _ meter: Meter) throws(TemplateError) -> MarkedText {
        if fill == " ", origin == .template { return .space }
        let writer = TextWriter(meter)
        try writer.append(scalar: fill, origin)
        return try writer.finish()
    }
}

extension TextWriter {
    /// Writes a number filled to the width.
    func append(
        _ number: NumberFormat.Number, _ specification: FormatSpecification, _ origin: TemplateOrigin,
        _ fallback: Unicode.Scalar
    ) throws(TemplateError) {
        try meter.work(48)
        let missing = max(
            specification.width - number.sign.unicodeScalars.count - number.digits.unicodeScalars.count, 0)
        let fill = try specification.fillText(origin.joined(specification.fillOrigin), meter)
        let alignment = specification.alignment ?? (number.isCharacter ? "<" : fallback)
        let left =
            switch alignment {
            case "<", "=": 0
            case "^": missing / 2
            default: missing
            }
        try append(fill, times: left)
        try append(string: number.sign, origin)
        if alignment == "=" { try append(fill, times: missing) }
        try append(string: number.digits, origin)
        if alignment != "=" { try append(fill, times: missing - left) }
    }
}
