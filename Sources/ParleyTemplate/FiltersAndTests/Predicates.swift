// SPDX-License-Identifier: Apache-2.0

/// What Jinja calls tests: `value is name`.
enum Predicates {
    typealias Predicate = @Sendable (Interpreter, Value, CallArguments) throws(TemplateError) -> Bool

    static let table: [String: Predicate] = [kinds, numbers, comparisons]
        .reduce(into: [:]) { table, predicates in table.merge(predicates) { first, _ in first } }

    /// A test without arguments.
    static func plain(_ name: String, _ holds: @escaping @Sendable (Value) -> Bool) -> Predicate {
        { _, value, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            return holds(value)
        }
    }
}

extension Interpreter {
    @inline(never)
    func test(_ name: String, _ value: Value, _ arguments: CallArguments) throws(TemplateError) -> Bool {
        try meter.step()
        guard let predicate = Predicates.table[name] else {
            throw TemplateError(.unsupported, "No test named '\(name)'.")
        }
        return try predicate(self, value, arguments)
    }
}
