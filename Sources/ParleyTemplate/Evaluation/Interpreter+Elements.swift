// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// `value[index]` and `value[start:stop:step]`.
extension Interpreter {
    @inline(never)
    func element(_ index: Value, of value: Value) throws(TemplateError) -> Value {
        switch value {
        case .undefined(let undefined): throw undefined.error
        case .mapping(let mapping):
            if let key = try meter.keyIfHashable(index), let member = mapping.members[key] { return member }
        case .sequence(let sequence) where sequence.kind.isIndexed:
            if let position = index.integer {
                guard let place = position.resolved(in: sequence.items.count) else {
                    return try missing(index, value)
                }
                return sequence.items[place]
            }
        case .string(let text):
            if let position = index.integer {
                guard let place = position.resolved(in: try text.count(meter)) else {
                    return try missing(index, value)
                }
                return .string(try text.slice(place..<(place + 1), meter))
            }
        default: break
        }
        // As in Jinja, an attribute is looked up if there is no element.
        guard let name = try index.text?.name(meter) else { return try missing(index, value) }
        if let attribute = try builtinAttribute(name, of: value) { return attribute }
        return try missing(index, value)
    }

    /// The result for an element or attribute that does not exist.
    func missing(_ index: Value, _ value: Value) throws(TemplateError) -> Value {
        let type = value.isNone ? "None" : "'\(value.typeName) object'"
        switch index {
        case .string(let name) where name.origin == .template:
            return .undefined(.member(try name.name(meter), of: type))
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
            let indices = SliceIndices(start: start, stop: stop, step: step, count: try text.count(meter))
            if let range = indices.range { return .string(try text.slice(range, meter)) }
            return .string(try characters(of: text, at: indices))
        case .sequence(let sequence) where sequence.kind.isIndexed:
            let indices = SliceIndices(start: start, stop: stop, step: step, count: sequence.items.count)
            let row = try row(room: indices.count)
            for index in indices.values { try row.append(sequence.items[index]) }
            return try self.sequence(sequence.kind == .list ? .list : .tuple, row, origin: sequence.origin)
        case .undefined(let undefined): throw undefined.error
        default: throw TemplateError(.wrongType, "'\(value.typeName)' object cannot be sliced")
        }
    }

    /// The characters at every step of a stride.
    private func characters(of text: MarkedText, at indices: SliceIndices) throws(TemplateError) -> MarkedText {
        // The offsets of the characters, for texts with characters of several bytes.
        let starts = try Row<UInt32>(meter)
        if !text.isASCII {
            for (index, _) in text.characters {
                try meter.work(2)
                try starts.append(UInt32(index))
            }
        }
        return try self.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
            for index in indices.values {
                let start = text.isASCII ? index : Int(starts[index])
                try writer.append(text[start..<text.end(after: start)])
            }
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

/// The indices that Python's slice selects from a sequence.
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

    /// The indices as a range, where they are contiguous.
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
