// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// A function that every template can call.
enum GlobalFunction: String {
    case range, dict, namespace, cycler, joiner
    case raiseException = "raise_exception"
    case strftimeNow = "strftime_now"
}

extension Interpreter {
    func call(_ function: GlobalFunction, _ arguments: CallArguments) throws(TemplateError) -> Value {
        switch function {
        case .range: return try range(arguments)
        case .dict: return try mapping(try members(arguments, of: "dict"))
        case .namespace:
            let members = try members(arguments, of: "namespace").map { ($0.key.text?.string ?? "", $0.value) }
            return try namespace(OrderedDictionary(members, uniquingKeysWith: { _, last in last }))
        case .cycler: return try cycler(arguments)
        case .joiner:
            let bound = try arguments.bound(to: ["sep"], of: "joiner")
            return .joiner(JoinerValue(separator: try bound.text(0) ?? MarkedText(", ", .template)))
        case .raiseException:
            let bound = try arguments.bound(to: ["message"], of: "raise_exception", required: 1)
            throw TemplateError(.raisedByTemplate, try printed(bound[0] ?? .none).string)
        case .strftimeNow:
            let bound = try arguments.bound(to: ["format"], of: "strftime_now", required: 1)
            let format = try bound.text(0) ?? MarkedText()
            let text = DateFormat.format(options.now(), format.string, in: options.timeZone)
            return try self.text(MarkedText(text, format.origin))
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
        let items = (0..<length).map { Value.integer(start + $0 * step, .template) }
        return .sequence(try sequence(.range(start: start, stop: end, step: step), items, origin: .template))
    }

    private func members(
        _ arguments: CallArguments, of function: String
    ) throws(TemplateError) -> OrderedDictionary<Value, Value> {
        var members: OrderedDictionary<Value, Value> = [:]
        guard arguments.positional.count <= 1 else {
            throw TemplateError(.wrongType, "\(function)() takes at most 1 positional argument")
        }
        switch arguments.positional.first {
        case nil: break
        case .mapping(let mapping): members = mapping.members
        case let value?:
            for pair in try elements(of: value) {
                let parts = try elements(of: pair)
                guard parts.count == 2 else {
                    throw TemplateError(.invalidValue, "\(function)() needs pairs of keys and values")
                }
                members[try key(parts[0])] = parts[1]
            }
        }
        for (name, value) in arguments.keyword { members[.text(name)] = value }
        return members
    }

    private func cycler(_ arguments: CallArguments) throws(TemplateError) -> Value {
        guard !arguments.positional.isEmpty, arguments.keyword.isEmpty else {
            throw TemplateError(.wrongType, "at least one item has to be provided")
        }
        return .cycler(CyclerValue(items: try sequence(.list, arguments.positional, origin: .template)))
    }
}
