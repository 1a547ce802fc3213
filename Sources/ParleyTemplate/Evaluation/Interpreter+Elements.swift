// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// `value[index]` and `value[start:stop:step]`.
extension Interpreter {
    @inline(never)
    func element(_ index: Value, of value: Value) throws(TemplateError) -> Value {
        switch value {
        case .undefined(let undefined): throw undefined.error
        case .mapping(let mapping):
            if index.isHashable, let member = mapping.members[index] { return member }
        case .sequence(let sequence) where sequence.kind.isIndexed:
            if let position = index.integer {
                return position.resolved(in: sequence.items.count).map { sequence.items[$0] } ?? missing(index, value)
            }
        case .string(let text):
            if let position = index.integer {
                guard let place = position.resolved(in: text.count) else { return missing(index, value) }
                return .string(text[place..<(place + 1)])
            }
        default: break
        }
        // As in Jinja, what is no element may be an attribute.
        guard let name = index.text else { return missing(index, value) }
        return try builtinAttribute(name.string, of: value) ?? missing(index, value)
    }

    /// What is given for an element or attribute that does not exist.
    func missing(_ index: Value, _ value: Value) -> Value {
        let type = value.isNone ? "None" : "'\(value.typeName) object'"
        switch index {
        case .string(let name) where name.origin == .template: return .undefined(.member(name.string, of: type))
        case .integer(let index, .template): return .undefined(.member(String(index), of: type))
        default: return .undefined(.member(nil, of: type))
        }
    }

    @inline(never)
    func slice(_ expression: Expression, _ bounds: Expression.SliceBounds) throws(TemplateError) -> Value {
        let value = try evaluate(expression)
        let start = try bound(bounds.start)
        let stop = try bound(bounds.stop)
        let step = try bound(bounds.step) ?? 1
        guard step != 0 else { throw TemplateError(.invalidValue, "slice step cannot be zero") }
        switch value {
        case .string(let text):
            let indices = SliceIndices(start: start, stop: stop, step: step, count: text.count)
            if let range = indices.range { return try self.text(text[range]) }
            try charge(characters: indices.count)
            return .string(text.taking(indices.values))
        case .sequence(let sequence) where sequence.kind.isIndexed:
            let indices = SliceIndices(start: start, stop: stop, step: step, count: sequence.items.count)
            let items = indices.range.map { Array(sequence.items[$0]) } ?? indices.values.map { sequence.items[$0] }
            let kind: SequenceValue.Kind = sequence.kind == .list ? .list : .tuple
            return .sequence(try self.sequence(kind, items, origin: sequence.origin))
        case .undefined(let undefined): throw undefined.error
        default: throw TemplateError(.wrongType, "'\(value.typeName)' object cannot be sliced")
        }
    }

    private func bound(_ expression: Expression?) throws(TemplateError) -> Int? {
        guard let expression else { return nil }
        let value = try evaluate(expression)
        if value.isNone { return nil }
        if case .undefined(let undefined) = value { throw undefined.error }
        guard let bound = value.integer else {
            throw TemplateError(.wrongType, "slice indices must be integers or None")
        }
        return bound
    }
}

/// The indices Python's slice picks from a row.
struct SliceIndices {
    let first: Int
    let step: Int
    let count: Int

    init(start: Int?, stop: Int?, step: Int, count length: Int) {
        let lower = step > 0 ? 0 : -1
        let upper = step > 0 ? length : length - 1
        let clamp = { (bound: Int) in min(max(bound < 0 ? bound + length : bound, lower), upper) }
        first = start.map(clamp) ?? (step > 0 ? lower : upper)
        let end = stop.map(clamp) ?? (step > 0 ? upper : lower)
        self.step = step
        let distance = step > 0 ? end - first : first - end
        count = distance <= 0 ? 0 : (distance - 1) / Int(clamping: step.magnitude) + 1
    }

    /// The indices as a range, where they are one.
    var range: Range<Int>? { step == 1 ? first..<(first + count) : nil }

    var values: some Sequence<Int> { (0..<count).lazy.map { first + $0 * step } }
}

extension Int {
    /// This index, counted from the end when negative, if there is such an element.
    func resolved(in count: Int) -> Int? {
        let index = self < 0 ? self + count : self
        return index >= 0 && index < count ? index : nil
    }
}
