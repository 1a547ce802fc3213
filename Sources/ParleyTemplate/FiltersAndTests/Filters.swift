// SPDX-License-Identifier: Apache-2.0

/// The filters, by name.
enum Filters {
    typealias Filter = @Sendable (Interpreter, Value, CallArguments) throws(TemplateError) -> Value

    static let table: [String: Filter] = [texts, layouts, markup, numbers, sequences, selections, orders, others]
        .reduce(into: [:]) { table, filters in table.merge(filters) { first, _ in first } }

    static let dot = MarkedText(source: ".")
    static let lineBreak = MarkedText(source: "\n")
}

extension Interpreter {
    @inline(never)
    func filter(_ name: String, _ value: Value, _ arguments: CallArguments) throws(TemplateError) -> Value {
        try meter.step()
        guard let filter = Filters.table[name] else {
            throw TemplateError(.unsupported, "No filter named '\(name)'.")
        }
        return try filter(self, value, arguments)
    }
}
