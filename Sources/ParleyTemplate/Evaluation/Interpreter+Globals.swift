// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Interpreter {
    func call(_ function: GlobalFunction, _ arguments: CallArguments) throws(TemplateError) -> Value {
        switch function {
        case .range: return try range(arguments)
        case .dict: return try mapping(try members(arguments, of: "dict"))
        case .namespace:
            let namespace = try NamespaceValue(meter)
            for (key, value) in try members(arguments, of: "namespace").dictionary {
                guard let name = try key.value.text?.name(meter) else {
                    throw TemplateError(.valueTooLarge, "An attribute's name is no string, or a very long one.")
                }
                try namespace.set(name, value, nameOrigin: key.value.origin)
            }
            return .namespace(namespace)
        case .cycler: return try cycler(arguments)
        case .joiner:
            let bound = try arguments.bound(to: ["sep"], of: "joiner")
            return .joiner(try JoinerValue(separator: try bound.text(0) ?? MarkedText(source: ", "), meter))
        case .raiseException:
            let bound = try arguments.bound(to: ["message"], of: "raise_exception", required: 1)
            throw TemplateError(.raisedByTemplate, try printed(bound[0] ?? .none).string(meter))
        case .strftimeNow:
            let bound = try arguments.bound(to: ["format"], of: "strftime_now", required: 1)
            let format = try bound.text(0) ?? .empty
            return .string(
                try text { (writer) throws(TemplateError) in
                    try DateFormat.write(options.now(), format, in: options.timeZone, to: writer)
                })
        }
    }

    /// Python's `range`, of the length the sandbox allows.
    private func range(_ arguments: CallArguments) throws(TemplateError) -> Value {
        let bound = try arguments.bound(to: ["start", "stop", "step"], of: "range", required: 1)
        let first = try bound.integer(0) ?? 0
        let stop = try bound.integer(1)
        let step = try bound.integer(2) ?? 1
        guard step != 0 else { throw TemplateError(.invalidValue, "range() arg 3 must not be zero") }
        let (start, end) = stop.map { (first, $0) } ?? (0, first)
        let distance = step > 0 ? end.subtractingReportingOverflow(start) : start.subtractingReportingOverflow(end)
        let longest = 100_000
        let width = Int(clamping: step.magnitude)
        let length = distance.partialValue <= 0 ? 0 : (distance.partialValue - 1) / width + 1
        guard !distance.overflow, length <= longest else {
            throw TemplateError(.valueTooLarge, "Range too big. The sandbox blocks ranges larger than \(longest).")
        }
        let row = try row(room: length)
        try meter.work(length)
        for index in 0..<length { try row.append(.integer(start + index * step, .template)) }
        return try sequence(.range(start: start, stop: end, step: step), row)
    }

    private func members(
        _ arguments: CallArguments, of function: String
    ) throws(TemplateError) -> Members {
        let members = try Members(meter)
        guard arguments.positional.count <= 1 else {
            throw TemplateError(.wrongType, "\(function)() takes at most 1 positional argument")
        }
        switch arguments.positional.items.first {
        case nil: break
        case .mapping(let mapping)?: try members.append(contentsOf: mapping)
        case let value?:
            for pair in try elements(of: value) {
                let parts = try elements(of: pair)
                guard parts.count == 2 else {
                    throw TemplateError(.invalidValue, "\(function)() needs pairs of keys and values")
                }
                try members.set(try meter.key(parts[0]), parts[1])
            }
        }
        for argument in arguments.keyword {
            try members.set(try meter.key(try value(ofName: argument.name, argument.origin)), argument.value)
        }
        return members
    }

    private func cycler(_ arguments: CallArguments) throws(TemplateError) -> Value {
        guard arguments.positional.count > 0, arguments.keyword.isEmpty else {
            throw TemplateError(.wrongType, "at least one item has to be provided")
        }
        let row = try row(room: arguments.positional.count)
        try row.append(contentsOf: arguments.positional.items)
        return .cycler(try CyclerValue(items: try SequenceValue(.list, row, origin: .template)))
    }
}
