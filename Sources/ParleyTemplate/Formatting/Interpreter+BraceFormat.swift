// SPDX-License-Identifier: Apache-2.0

/// `str.format`.
extension Interpreter {
    func formatBraces(_ format: MarkedText, _ arguments: CallArguments) throws(TemplateError) -> MarkedText {
        var formatter = BraceFormatter(interpreter: self, arguments: arguments, isMarkup: format.isMarkup)
        let writer = TextWriter(meter)
        try formatter.format(format, depth: 0, to: writer)
        return try writer.finish(asMarkup: format.isMarkup)
    }
}

private struct BraceFormatter {
    let interpreter: Interpreter
    let arguments: CallArguments
    let isMarkup: Bool
    private var nextIndex = 0
    private var meter: Meter { interpreter.meter }

    init(interpreter: Interpreter, arguments: CallArguments, isMarkup: Bool) {
        self.interpreter = interpreter
        self.arguments = arguments
        self.isMarkup = isMarkup
    }

    mutating func format(_ format: MarkedText, depth: Int, to writer: TextWriter) throws(TemplateError) {
        guard depth < 2 else { throw TemplateError(.invalidValue, "Max string recursion exceeded") }
        var (start, index) = (0, 0)
        while index < format.size {
            try meter.work(1)
            let byte = format[index]
            guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") else {
                index += 1
                continue
            }
            try writer.append(format[start..<index])
            let isDoubled = index + 1 < format.size && format[index + 1] == byte
            if isDoubled {
                try writer.append(format[index..<(index + 1)])
                index += 2
            } else if byte == UInt8(ascii: "{") {
                let end = try fieldEnd(format, index + 1)
                try write(field: format[(index + 1)..<end], depth: depth, to: writer)
                index = end + 1
            } else {
                throw TemplateError(.invalidValue, "Single '}' encountered in format string")
            }
            start = index
        }
        try writer.append(format[start..<format.size])
    }

    private func fieldEnd(_ format: MarkedText, _ start: Int) throws(TemplateError) -> Int {
        var open = 1
        for index in start..<max(format.size, start) {
            try meter.work(1)
            if format[index] == UInt8(ascii: "{") { open += 1 }
            if format[index] == UInt8(ascii: "}") { open -= 1 }
            if open == 0 { return index }
        }
        throw TemplateError(.invalidValue, "expected '}' before end of string")
    }

    private mutating func write(field: MarkedText, depth: Int, to writer: TextWriter) throws(TemplateError) {
        try meter.step()
        let nameEnd = try index(in: field) { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "!") } ?? field.size
        var value = try self.value(field[0..<nameEnd])
        var rest = field[nameEnd..<field.size]
        if !rest.isEmpty, rest[0] == UInt8(ascii: "!") {
            guard rest.size > 1 else {
                throw TemplateError(.invalidValue, "end of string while looking for conversion")
            }
            switch rest.scalar(at: 1) {
            case "r", "a": value = .string(try interpreter.represented(value))
            case "s": value = .string(try interpreter.printed(value))
            default: throw TemplateError(.invalidValue, "Unknown conversion specifier")
            }
            rest = rest[2..<rest.size]
            guard rest.isEmpty || rest[0] == UInt8(ascii: ":") else {
                throw TemplateError(.invalidValue, "expected ':' after conversion specifier")
            }
        }
        var specification = rest
        if !rest.isEmpty {
            let inner = TextWriter(meter)
            try format(rest[1..<rest.size], depth: depth + 1, to: inner)
            specification = try inner.finish()
        }
        try interpreter.write(value, try FormatSpecification(specification), escaping: isMarkup, to: writer)
    }

    private func index(
        in text: MarkedText, from start: Int = 0, where holds: (UInt8) -> Bool
    ) throws(TemplateError) -> Int? {
        for index in start..<max(text.size, start) {
            try meter.work(1)
            if holds(text[index]) { return index }
        }
        return nil
    }

    private mutating func value(_ name: MarkedText) throws(TemplateError) -> Value {
        let (dot, bracket, closing) = (UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"))
        let firstEnd = try index(in: name) { $0 == dot || $0 == bracket } ?? name.size
        var value = try argument(name[0..<firstEnd])
        var index = firstEnd
        while index < name.size {
            try meter.step()
            let isElement = name[index] == bracket
            let end = try self.index(in: name, from: index + 1) {
                isElement ? $0 == closing : $0 == dot || $0 == bracket
            }
            guard let stop = end ?? (isElement ? nil : name.size) else {
                throw TemplateError(.invalidValue, "Missing ']' in format string")
            }
            let key = name[(index + 1)..<stop]
            if isElement {
                let place = try key.name(meter).flatMap { Int($0) }.map { Value.integer($0, key.origin) }
                value = try interpreter.element(place ?? .string(key), of: value)
            } else {
                value = try interpreter.attribute(
                    try key.name(meter) ?? "", key: try meter.key(.string(key)), of: value)
            }
            index = isElement ? stop + 1 : stop
        }
        return value
    }

    private mutating func argument(_ text: MarkedText) throws(TemplateError) -> Value {
        let name = try text.name(meter)
        try meter.work(8 * arguments.keyword.count)
        if let value = arguments.keyword.last(where: { $0.name == name })?.value { return value }
        var index = name.flatMap { Int($0) }
        if text.isEmpty {
            index = nextIndex
            nextIndex += 1
        }
        guard let index, index >= 0, index < arguments.positional.count else {
            throw TemplateError(.invalidValue, "A field of the format has no argument")
        }
        return arguments.positional[index]
    }
}
