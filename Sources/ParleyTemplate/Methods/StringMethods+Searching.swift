// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that look for a part of a text.
    static let searching: [String: Method] = [
        "startswith": affix("startswith") { text, affix, meter throws(TemplateError) in
            try text.starts(with: affix, meter)
        },
        "endswith": affix("endswith") { text, affix, meter throws(TemplateError) in
            try text.ends(with: affix, meter)
        },
        "find": find("find", fromRight: false, isRequired: false),
        "rfind": find("rfind", fromRight: true, isRequired: false),
        "index": find("index", fromRight: false, isRequired: true),
        "rindex": find("rindex", fromRight: true, isRequired: true),
        "count": { interpreter, text, arguments throws(TemplateError) in
            let (part, range) = try scope(of: "count", text, arguments, interpreter.meter)
            var count = 0
            if let range {
                try text.forEachPlace(of: part, in: range, interpreter.meter) { _ in
                    count += 1
                    return true
                }
            }
            return .integer(count, text.origin)
        },
    ]

    /// The text to search for and the range to search in; nil when the range begins after the end.
    private static func scope(
        of name: String, _ text: MarkedText, _ arguments: CallArguments, _ meter: Meter
    ) throws(TemplateError) -> (part: MarkedText, range: Range<Int>?) {
        let bound = try arguments.bound(to: ["sub", "start", "end"], of: name, required: 1)
        return (try bound.text(0) ?? .empty, try range(bound, text, meter))
    }

    /// The range of bytes for arguments that count characters.
    private static func range(
        _ bound: BoundArguments, _ text: MarkedText, _ meter: Meter
    ) throws(TemplateError) -> Range<Int>? {
        let start = bound.present(1) == nil ? nil : try bound.integer(1)
        let stop = bound.present(2) == nil ? nil : try bound.integer(2)
        guard start != nil || stop != nil else { return 0..<text.size }
        let count = try text.count(meter)
        if let start, start > count { return nil }
        let clamp = { (index: Int) in min(max(index < 0 ? index + count : index, 0), count) }
        let (lower, upper) = (clamp(start ?? 0), clamp(stop ?? count))
        guard lower <= upper else { return nil }
        return try text.index(ofCharacter: lower, meter)..<text.index(ofCharacter: upper, meter)
    }

    private static func find(_ name: String, fromRight: Bool, isRequired: Bool) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let meter = interpreter.meter
            let (part, range) = try scope(of: name, text, arguments, meter)
            var position: Int?
            if let range {
                position =
                    fromRight
                    ? try text.lastPlace(of: part, in: range, meter) : try text.firstPlace(of: part, in: range, meter)
            }
            guard position != nil || !isRequired else { throw TemplateError(.invalidValue, "substring not found") }
            guard let position else { return .integer(-1, text.origin) }
            return .integer(try text.characters(before: position, meter), text.origin)
        }
    }

    private static func affix(
        _ name: String, _ holds: @escaping @Sendable (MarkedText, MarkedText, Meter) throws(TemplateError) -> Bool
    ) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["affix", "start", "end"], of: name, required: 1)
            guard let range = try range(bound, text, interpreter.meter) else { return .bool(false) }
            let part = text[range]
            switch bound[0] {
            case .string(let affix)?: return .bool(try holds(part, affix, interpreter.meter))
            case .sequence(let sequence)? where sequence.kind == .tuple:
                for item in sequence.items {
                    try interpreter.meter.work(8)
                    if let affix = item.text, try holds(part, affix, interpreter.meter) { return .bool(true) }
                }
                return .bool(false)
            default: throw bound.wrong(0, "a string or a tuple of strings", bound[0] ?? .none)
            }
        }
    }
}
