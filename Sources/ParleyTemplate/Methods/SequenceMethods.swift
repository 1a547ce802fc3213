// SPDX-License-Identifier: Apache-2.0

/// The methods of lists and tuples that change nothing.
enum SequenceMethods {
    static let names: Set = ["count", "index"]
    static let forbidden: Set = ["append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"]

    static func call(
        _ name: String, _ sequence: SequenceValue, _ arguments: CallArguments, _ interpreter: Interpreter
    ) throws(TemplateError) -> Value {
        if name == "copy" {
            try arguments.expectNone(of: name)
            return .sequence(sequence)
        }
        let bound = try arguments.bound(to: ["value", "start", "stop"], of: name, required: 1)
        let value = bound[0] ?? .none
        try interpreter.charge(steps: sequence.weight / 16)
        if name == "count" {
            let count = sequence.items.count { $0 == value }
            return .integer(count, sequence.origin)
        }
        let indices = SliceIndices(
            start: try bound.integer(1), stop: try bound.integer(2), step: 1, count: sequence.items.count)
        guard let range = indices.range, let index = sequence.items[range].firstIndex(of: value) else {
            throw TemplateError(.invalidValue, "the value is not in the list")
        }
        return .integer(index, sequence.origin)
    }
}
