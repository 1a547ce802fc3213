// SPDX-License-Identifier: Apache-2.0

/// `str.format`.
extension Interpreter {
    func formatBraces(_ format: MarkedText, _ arguments: CallArguments) throws(TemplateError) -> MarkedText {
        var formatter = BraceFormatter(interpreter: self, arguments: arguments, isMarkup: format.isMarkup)
        return try formatter.format(format, depth: 0)
    }
}

private struct BraceFormatter {
    let interpreter: Interpreter
    let arguments: CallArguments
    let isMarkup: Bool
    private var nextIndex = 0

    init(interpreter: Interpreter, arguments: CallArguments, isMarkup: Bool) {
        self.interpreter = interpreter
        self.arguments = arguments
        self.isMarkup = isMarkup
    }

    mutating func format(_ format: MarkedText, depth: Int) throws(TemplateError) -> MarkedText {
        guard depth < 2 else { throw TemplateError(.invalidValue, "Max string recursion exceeded") }
        var result = MarkedText()
        var index = 0
        while index < format.count {
            let scalar = format.scalars[index]
            let isDoubled = index + 1 < format.count && format.scalars[index + 1] == scalar
            switch scalar {
            case "{" where !isDoubled:
                let end = try fieldEnd(format, index + 1)
                result.append(try field(format[(index + 1)..<end], depth: depth))
                index = end + 1
            case "}" where !isDoubled:
                throw TemplateError(.invalidValue, "Single '}' encountered in format string")
            default:
                result.append(scalar, format.origin(at: index))
                index += scalar == "{" || scalar == "}" ? 2 : 1
            }
        }
        return result
    }

    private func fieldEnd(_ format: MarkedText, _ start: Int) throws(TemplateError) -> Int {
        var open = 1
        for index in start..<max(format.count, start) {
            if format.scalars[index] == "{" { open += 1 }
            if format.scalars[index] == "}" { open -= 1 }
            if open == 0 { return index }
        }
        throw TemplateError(.invalidValue, "expected '}' before end of string")
    }

    private mutating func field(_ field: MarkedText, depth: Int) throws(TemplateError) -> MarkedText {
        let nameEnd = field.scalars.firstIndex { $0 == ":" || $0 == "!" } ?? field.count
        var value = try self.value(field[0..<nameEnd])
        var rest = field[nameEnd..<field.count]
        if rest.scalars.first == "!" {
            guard rest.count > 1 else { throw TemplateError(.invalidValue, "end of string while looking for conversion") }
            switch rest.scalars[1] {
            case "r", "a": value = .string(try interpreter.represented(value))
            case "s": value = .string(try interpreter.printed(value))
            default: throw TemplateError(.invalidValue, "Unknown conversion specifier")
            }
            rest = rest[2..<rest.count]
            guard rest.isEmpty || rest.scalars.first == ":" else {
                throw TemplateError(.invalidValue, "expected ':' after conversion specifier")
            }
        }
        let specification = rest.isEmpty ? rest : try format(rest[1..<rest.count], depth: depth + 1)
        let text = try interpreter.format(value, FormatSpecification(specification.scalars))
        return isMarkup ? text.escaped : text
    }

    private mutating func value(_ name: MarkedText) throws(TemplateError) -> Value {
        let firstEnd = name.scalars.firstIndex { $0 == "." || $0 == "[" } ?? name.count
        var value = try argument(name[0..<firstEnd])
        var index = firstEnd
        while index < name.count {
            let isElement = name.scalars[index] == "["
            let rest = name.scalars[(index + 1)...]
            let end = rest.firstIndex { isElement ? $0 == "]" : $0 == "." || $0 == "[" }
            guard let stop = end ?? (isElement ? nil : name.count) else {
                throw TemplateError(.invalidValue, "Missing ']' in format string")
            }
            let key = name[(index + 1)..<stop]
            if isElement {
                let place = Int(key.string).map { Value.integer($0, key.origin) }
                value = try interpreter.element(place ?? .string(key), of: value)
            } else {
                value = try interpreter.attribute(key.string, key: key, of: value)
            }
            if case .undefined(let undefined) = value { throw undefined.error }
            index = isElement ? stop + 1 : stop
        }
        return value
    }

    private mutating func argument(_ name: MarkedText) throws(TemplateError) -> Value {
        if let value = arguments.keyword.last(where: { $0.name == name.string })?.value { return value }
        var index = Int(name.string)
        if name.isEmpty {
            index = nextIndex
            nextIndex += 1
        }
        guard let index, arguments.positional.indices.contains(index) else {
            throw TemplateError(.invalidValue, "A field of the format has no argument")
        }
        return arguments.positional[index]
    }
}
