// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// `format % values`.
extension Interpreter {
    func format(_ format: MarkedText, with value: Value) throws(TemplateError) -> Value {
        var formatter = PercentFormatter(interpreter: self, format: format, argument: value)
        let writer = TextWriter(meter)
        try formatter.run(to: writer)
        return .string(try writer.finish(asMarkup: format.isMarkup))
    }
}

private struct PercentFormatter {
    let interpreter: Interpreter
    let format: MarkedText
    let argument: Value
    private var values: ArraySlice<Value>
    private var meter: Meter { interpreter.meter }
    private var index = 0
    private var usedNames = false

    init(interpreter: Interpreter, format: MarkedText, argument: Value) {
        self.interpreter = interpreter
        self.format = format
        self.argument = argument
        if case .sequence(let sequence) = argument, sequence.kind.isTuple {
            values = sequence.items[...]
        } else {
            values = [argument]
        }
    }

    mutating func run(to writer: TextWriter) throws(TemplateError) {
        while index < format.size {
            let start = index
            while index < format.size, format[index] != UInt8(ascii: "%") {
                try meter.work(1)
                index += 1
            }
            try writer.append(format[start..<index])
            guard index < format.size else { break }
            index += 1
            try writeField(to: writer)
        }
        guard values.isEmpty || usedNames || argument.mayHaveNames else {
            throw TemplateError(.wrongType, "not all arguments converted during string formatting")
        }
    }

    private mutating func writeField(to writer: TextWriter) throws(TemplateError) {
        try meter.step()
        let value = try named()
        var specification = FormatSpecification()
        try takeFlags(&specification)
        let width = try number() ?? 0
        if width < 0 { specification.alignment = "<" }
        specification.width = Int(width.magnitude)
        if current == "." {
            index += 1
            specification.precision = max(try number() ?? 0, 0)
        }
        while let scalar = current, "hlL".unicodeScalars.contains(scalar) {
            try meter.work(16)
            index += 1
        }
        guard let type = current else { throw TemplateError(.invalidValue, "incomplete format") }
        index = format.end(after: index)
        if type == "%" { return try writer.append("%", format.origin(at: index - 1)) }
        specification.type = type
        let argument = if let value { value } else { try next() }
        try write(argument, &specification, to: writer)
    }

    private var current: Unicode.Scalar? { index < format.size ? format.scalar(at: index) : nil }

    /// The value of `%(name)s`.
    private mutating func named() throws(TemplateError) -> Value? {
        guard current == "(" else { return nil }
        var end = index
        while end < format.size, format[end] != UInt8(ascii: ")") {
            try meter.work(1)
            end += 1
        }
        guard end < format.size else { throw TemplateError(.invalidValue, "incomplete format key") }
        guard case .mapping(let mapping) = argument else {
            throw TemplateError(.wrongType, "format requires a mapping")
        }
        guard let value = mapping.members[try meter.key(.string(format[(index + 1)..<end]))] else {
            throw TemplateError(.invalidValue, "A field of the format has no argument")
        }
        index = end + 1
        usedNames = true
        return value
    }

    private mutating func takeFlags(_ specification: inout FormatSpecification) throws(TemplateError) {
        while let flag = current {
            try meter.work(4)
            switch flag {
            case "-": specification.alignment = "<"
            case "0":
                if specification.alignment == nil { specification.alignment = "=" }
                specification.fill = "0"
            case "+": specification.sign = "+"
            case " ": if specification.sign != "+" { specification.sign = " " }
            case "#": specification.isAlternate = true
            default: return
            }
            index += 1
        }
    }

    private mutating func number() throws(TemplateError) -> Int? {
        if current == "*" {
            index += 1
            guard let number = try next().integer, number.magnitude < 1_000_000 else {
                throw TemplateError(.wrongType, "* wants int")
            }
            return number
        }
        let start = index
        while let digit = current, ("0"..."9").contains(digit) {
            try meter.work(4)
            index += 1
        }
        var digits = format[start..<index].characters.map(\.scalar)[...]
        return try FormatSpecification.number(&digits)
    }

    private mutating func next() throws(TemplateError) -> Value {
        guard let value = values.popFirst() else {
            throw TemplateError(.wrongType, "not enough arguments for format string")
        }
        return value
    }

    private func write(
        _ value: Value, _ specification: inout FormatSpecification, to writer: TextWriter
    ) throws(TemplateError) {
        if specification.alignment == "<" { specification.fill = " " }
        switch specification.type {
        case "s"?, "r"?, "a"?:
            specification.fill = " "
            if specification.alignment == "=" { specification.alignment = ">" }
            let isString = specification.type == "s"
            let text = isString ? try interpreter.printed(value) : try interpreter.represented(value)
            try interpreter.write(
                padding: format.isMarkup ? try interpreter.escaped(text) : text, specification, fallback: ">",
                escaping: false, to: writer)
        case "d"?, "i"?, "u"?, "x"?, "X"?, "o"?:
            let isDecimal = specification.type == "d" || specification.type == "i" || specification.type == "u"
            var integer = value.integer
            if integer == nil, isDecimal, let double = value.double { integer = try double.truncated() }
            guard let number = integer else { throw wrongType(value) }
            let digits = minimumDigits(number, specification)
            try writer.append(try NumberFormat.integer(number, digits, meter), digits, value.origin, ">")
        case "c"?:
            if let text = value.text, try text.count(meter) == 1 {
                return try interpreter.write(
                    padding: text, specification, fallback: ">", escaping: false, to: writer)
            }
            guard let number = value.integer else { throw wrongType(value) }
            specification.alignment = specification.alignment ?? ">"
            try writer.append(
                try NumberFormat.integer(number, specification, meter), specification, value.origin, ">")
        case "e"?, "E"?, "f"?, "F"?, "g"?, "G"?:
            guard let number = value.double else { throw wrongType(value) }
            try writer.append(
                try NumberFormat.double(number, specification, meter), specification, value.origin, ">")
        default: throw TemplateError(.invalidValue, "unsupported format character")
        }
    }

    /// For integers the precision is the least number of digits; zeros fill them up.
    private func minimumDigits(_ number: Int, _ specification: FormatSpecification) -> FormatSpecification {
        guard let precision = specification.precision, specification.alignment != "<" else { return specification }
        var result = specification
        let signWidth = number < 0 || specification.sign != "-" ? 1 : 0
        guard precision + signWidth >= specification.width else { return specification }
        result.width = precision + signWidth
        result.fill = "0"
        result.alignment = "="
        return result
    }

    private func wrongType(_ value: Value) -> TemplateError {
        if case .undefined(let undefined) = value { return undefined.error }
        return TemplateError(.wrongType, "a number is required by the format, not \(value.typeName)")
    }
}

extension Double {
    /// The integer part.
    func truncated() throws(TemplateError) -> Int {
        guard isFinite else { throw TemplateError(.invalidValue, "cannot convert float infinity or NaN to integer") }
        guard let integer = Int(exactly: rounded(.towardZero)) else { throw Arithmetic.overflow }
        return integer
    }
}

extension Value {
    /// Whether this has elements by name; Python then accepts a format that uses none of them.
    fileprivate var mayHaveNames: Bool {
        switch self {
        case .mapping, .undefined: true
        case .sequence(let sequence): sequence.kind == .list
        default: false
        }
    }
}
