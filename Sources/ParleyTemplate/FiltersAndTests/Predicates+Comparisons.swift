// SPDX-License-Identifier: Apache-2.0

extension Predicates {
    /// Tests that correspond to operators.
    static let comparisons: [String: Predicate] = [
        "==": comparing(.equal), "eq": comparing(.equal), "equalto": comparing(.equal),
        "!=": comparing(.notEqual), "ne": comparing(.notEqual),
        "<": comparing(.less), "lt": comparing(.less), "lessthan": comparing(.less),
        "<=": comparing(.lessOrEqual), "le": comparing(.lessOrEqual),
        ">": comparing(.greater), "gt": comparing(.greater), "greaterthan": comparing(.greater),
        ">=": comparing(.greaterOrEqual), "ge": comparing(.greaterOrEqual),
        "in": comparing(.isIn),
    ]

    private static func comparing(_ comparator: Comparator) -> Predicate {
        { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["other"], of: comparator.rawValue, required: 1)
            return try interpreter.holds(value, comparator, bound[0] ?? .none)
        }
    }

    /// Tests of numbers and of identity.
    static let numbers: [String: Predicate] = [
        "even": remainder("even") { $0 == 0 },
        "odd": remainder("odd") { $0 == 1 },
        "divisibleby": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["num"], of: "divisibleby", required: 1)
            let remainder = try interpreter.apply(.modulo, value, bound[0] ?? .none)
            return try interpreter.isEqual(remainder, .integer(0, .template))
        },
        "sameas": { interpreter, value, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["other"], of: "sameas", required: 1)
            return try interpreter.isSame(value, bound[0] ?? .none)
        },
    ]

    private static func remainder(_ name: String, _ holds: @escaping @Sendable (Double) -> Bool) -> Predicate {
        { interpreter, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            let remainder = try interpreter.apply(.modulo, value, .integer(2, .template))
            return remainder.double.map(holds) ?? false
        }
    }
}

extension Interpreter {
    /// Python's `is`, as far as a template can rely on it: scalars of the same kind that are equal, containers that are
    /// the same object.
    fileprivate func isSame(_ value: Value, _ other: Value) throws(TemplateError) -> Bool {
        switch (value, other) {
        case (.sequence(let left), .sequence(let right)): left === right
        case (.mapping(let left), .mapping(let right)): left === right
        default: value.typeName == other.typeName ? try isEqual(value, other) : false
        }
    }
}
