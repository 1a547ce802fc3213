// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A value as JSON Schema compares values: numbers by what they are worth, objects whatever the order of their members.
enum ComparedValue: Hashable {
    case null
    case bool(Bool)
    case number(DecimalDigits)
    case string(ExactText)
    case array([ComparedValue])
    case object([ExactText: ComparedValue])

    /// Reads all of a value, which takes steps with its size.
    init(_ value: JSONValue, _ budget: CompilationBudget) throws(ConstraintError) {
        try budget.spend(16 + value.breadth)
        switch value {
        case .null: self = .null
        case .bool(let word): self = .bool(word)
        case .integer, .number, .decimal: self = .number(DecimalDigits(value.text()))
        case .string(let text): self = .string(ExactText(text))
        case .array(let elements):
            var compared: [ComparedValue] = []
            for element in elements { compared.append(try ComparedValue(element, budget)) }
            self = .array(compared)
        case .object(let members):
            var compared: [ExactText: ComparedValue] = [:]
            for (name, member) in members.elements {
                try budget.spend(name.utf8.count)
                compared[ExactText(name)] = try ComparedValue(member, budget)
            }
            self = .object(compared)
        }
    }
}

extension JSONValue {
    /// How much there is to read of a value without what is inside its parts: the number of its parts, or of its bytes.
    var breadth: Int {
        switch self {
        case .null, .bool, .integer, .number: 0
        case .decimal(let decimal): decimal.text.utf8.count
        case .string(let text): text.utf8.count
        case .array(let elements): elements.count
        case .object(let members): members.count
        }
    }
}
