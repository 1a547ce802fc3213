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
        if name == "count" {
            var count = 0
            for item in sequence.items where try interpreter.isEqual(item, value) { count += 1 }
            return .integer(count, sequence.origin)
        }
        let indices = SliceIndices(
            start: try bound.integer(1), stop: try bound.integer(2), step: 1, count: sequence.items.count)
        for index in indices.values where try interpreter.isEqual(sequence.items[index], value) {
            return .integer(index, sequence.origin)
        }
        throw TemplateError(.invalidValue, "the value is not in the list")
    }
}
