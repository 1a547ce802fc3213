// SPDX-License-Identifier: Apache-2.0

extension Interpreter {
    /// The value as Python's `str` gives it, which is what a template prints.
    @inline(never)
    func printed(_ value: Value) throws(TemplateError) -> MarkedText {
        switch value {
        case .string(let text): return text
        case .undefined: return .empty
        default: return try represented(value)
        }
    }

    /// The value as Python's `repr` gives it.
    func represented(_ value: Value) throws(TemplateError) -> MarkedText {
        try text { (writer) throws(TemplateError) in
            var printer = Printer(writer: writer)
            try printer.printRepresentation(of: value)
        }
    }

    /// Writes the value as Python's `str` gives it.
    func print(_ value: Value, to writer: TextWriter) throws(TemplateError) {
        switch value {
        case .string(let text): try writer.append(text)
        case .undefined: break
        default:
            var printer = Printer(writer: writer)
            try printer.printRepresentation(of: value)
        }
    }
}
