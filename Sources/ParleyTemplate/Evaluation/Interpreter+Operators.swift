// SPDX-License-Identifier: Apache-2.0

/// `+ - * / // % **` on strings, lists and tuples; numbers are in `Arithmetic`.
extension Interpreter {
    @inline(never)
    func apply(_ binary: BinaryOperator, _ left: Value, _ right: Value) throws(TemplateError) -> Value {
        if case .undefined(let undefined) = left { throw undefined.error }
        if binary == .modulo, let format = left.text { return try self.format(format, with: right) }
        if case .undefined(let undefined) = right { throw undefined.error }
        switch (binary, left, right) {
        case (.add, .string(let left), .string(let right)): return try add(left, right)
        case (.add, .sequence(let left), .sequence(let right)):
            if let sum = try add(left, right) { return sum }
        case (.multiply, .string(let text), _):
            if let times = right.integer { return try multiply(text, times) }
        case (.multiply, _, .string(let text)):
            if let times = left.integer { return try multiply(text, times) }
        case (.multiply, .sequence(let sequence), _):
            if let times = right.integer { return try multiply(sequence, times) }
        case (.multiply, _, .sequence(let sequence)):
            if let times = left.integer { return try multiply(sequence, times) }
        default:
            try meter.work(Arithmetic.price(of: binary, left, right))
            if let result = try Arithmetic.apply(binary, left, right) { return result }
        }
        throw TemplateError(
            .wrongType,
            "unsupported operand type(s) for \(binary.rawValue): '\(left.typeName)' and '\(right.typeName)'")
    }

    private func add(_ left: MarkedText, _ right: MarkedText) throws(TemplateError) -> Value {
        let isMarkup = left.isMarkup || right.isMarkup
        return .string(
            try text(asMarkup: isMarkup) { (writer) throws(TemplateError) in
                try writer.reserve(left.size + right.size)
                for part in [left, right] {
                    if isMarkup { try writer.append(escaping: part) } else { try writer.append(part) }
                }
            })
    }

    private func add(_ left: SequenceValue, _ right: SequenceValue) throws(TemplateError) -> Value? {
        guard left.kind == .list && right.kind == .list || left.kind.isTuple && right.kind.isTuple else { return nil }
        let row = try row(room: left.items.count + right.items.count)
        try row.append(contentsOf: left.items)
        try row.append(contentsOf: right.items)
        return try sequence(
            left.kind == .list ? .list : .tuple, row, origin: left.origin.joined(right.origin))
    }

    func multiply(_ text: MarkedText, _ times: Int) throws(TemplateError) -> Value {
        .string(
            try self.text(asMarkup: text.isMarkup) { (writer) throws(TemplateError) in
                try writer.append(text, times: times)
            })
    }

    private func multiply(_ sequence: SequenceValue, _ times: Int) throws(TemplateError) -> Value {
        guard sequence.kind == .list || sequence.kind.isTuple else {
            throw TemplateError(.wrongType, "can't multiply '\(sequence.kind.typeName)'")
        }
        let (count, overflow) = sequence.items.count.multipliedReportingOverflow(by: max(times, 0))
        let row = try row(room: overflow ? .max : count)
        for _ in 0..<(sequence.items.isEmpty ? 0 : max(times, 0)) { try row.append(contentsOf: sequence.items) }
        return try self.sequence(sequence.kind == .list ? .list : .tuple, row, origin: sequence.origin)
    }

    @inline(never)
    func negated(_ value: Value) throws(TemplateError) -> Value {
        switch value {
        case .double(let number, let origin): return .double(-number, origin)
        case .undefined(let undefined): throw undefined.error
        default:
            guard let number = value.integer else { throw badSign(value) }
            guard number != .min else { throw Arithmetic.overflow }
            return .integer(-number, value.origin)
        }
    }

    @inline(never)
    func signed(_ value: Value) throws(TemplateError) -> Value {
        switch value {
        case .double: return value
        case .undefined(let undefined): throw undefined.error
        default:
            guard let number = value.integer else { throw badSign(value) }
            return .integer(number, value.origin)
        }
    }

    private func badSign(_ value: Value) -> TemplateError {
        TemplateError(.wrongType, "bad operand type for a sign: '\(value.typeName)'")
    }
}
