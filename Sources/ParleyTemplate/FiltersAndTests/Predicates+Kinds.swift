// SPDX-License-Identifier: Apache-2.0

extension Predicates {
    /// Tests of the kind of a value.
    static let kinds: [String: Predicate] = [
        "defined": plain("defined") { !$0.isUndefined },
        "undefined": plain("undefined") { $0.isUndefined },
        "none": plain("none") { $0.isNone },
        "boolean": plain("boolean") { if case .bool = $0 { true } else { false } },
        "true": plain("true") { if case .bool(true) = $0 { true } else { false } },
        "false": plain("false") { if case .bool(false) = $0 { true } else { false } },
        "integer": plain("integer") { if case .integer = $0 { true } else { false } },
        "float": plain("float") { if case .double = $0 { true } else { false } },
        "number": plain("number") { $0.double != nil },
        "string": plain("string") { $0.text != nil },
        "mapping": plain("mapping") { if case .mapping = $0 { true } else { false } },
        "sequence": plain("sequence") { value in
            switch value {
            case .undefined, .string, .mapping: true
            case .sequence(let sequence): sequence.kind.isIndexed
            default: false
            }
        },
        "iterable": plain("iterable") { value in
            switch value {
            case .undefined, .string, .mapping, .sequence, .loop: true
            default: false
            }
        },
        "callable": plain("callable") { value in
            switch value {
            case .callable, .loop, .joiner, .undefined: true
            default: false
            }
        },
        "escaped": plain("escaped") { $0.text?.isMarkup ?? false },
        "lower": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "lower")
            return try interpreter.printed(value).isLower(interpreter.meter)
        },
        "upper": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "upper")
            return try interpreter.printed(value).isUpper(interpreter.meter)
        },
        "filter": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "filter")
            return try value.text?.name(interpreter.meter).map { Filters.table[$0] != nil } ?? false
        },
        "test": { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: "test")
            return try value.text?.name(interpreter.meter).map { Predicates.table[$0] != nil } ?? false
        },
    ]
}
