// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Interpreter {
    /// The value as Python's `str` gives it, which is what a template prints.
    @inline(never)
    func printed(_ value: Value) throws(TemplateError) -> MarkedText {
        switch value {
        case .string(let text): return text
        case .undefined: return MarkedText()
        default: return try represented(value)
        }
    }

    /// The value as Python's `repr` gives it.
    func represented(_ value: Value) throws(TemplateError) -> MarkedText {
        try charge(characters: value.printingWeight)
        var printer = Printer()
        printer.printRepresentation(of: value)
        return printer.text
    }
}

extension Value {
    /// The weight, with what a namespace holds.
    fileprivate var printingWeight: Int {
        guard case .namespace(let namespace) = self else { return weight }
        return namespace.attributes.values.reduce(1) { sum, value in
            sum.addingReportingOverflow(value.weight).partialValue
        }
    }
}
