// SPDX-License-Identifier: Apache-2.0

extension StringMethods {
    /// Methods that look for a part of a text.
    static let searching: [String: Method] = [
        "startswith": affix("startswith") { text, affix in text.starts(with: affix) },
        "endswith": affix("endswith") { text, affix in text.ends(with: affix) },
        "find": find("find", fromRight: false, isRequired: false),
        "rfind": find("rfind", fromRight: true, isRequired: false),
        "index": find("index", fromRight: false, isRequired: true),
        "rindex": find("rindex", fromRight: true, isRequired: true),
        "count": { interpreter, text, arguments throws(TemplateError) in
            let (part, range) = try scope(of: "count", text, arguments, interpreter)
            let count = range.map { text.positions(of: part, in: $0).count } ?? 0
            return .integer(count, text.origin)
        },
    ]

    /// The text looked for and the range to look in; nil when the range begins behind the end.
    private static func scope(
        of name: String, _ text: MarkedText, _ arguments: CallArguments, _ interpreter: Interpreter
    ) throws(TemplateError) -> (part: MarkedText, range: Range<Int>?) {
        let bound = try arguments.bound(to: ["sub", "start", "end"], of: name, required: 1)
        let part = try bound.text(0) ?? MarkedText()
        try interpreter.charge(steps: (text.count + part.count) / 16)
        return (part, try range(bound, text.count))
    }

    private static func range(_ bound: BoundArguments, _ count: Int) throws(TemplateError) -> Range<Int>? {
        let start = bound.present(1) == nil ? nil : try bound.integer(1)
        let stop = bound.present(2) == nil ? nil : try bound.integer(2)
        if let start, start > count { return nil }
        let clamp = { (index: Int) in min(max(index < 0 ? index + count : index, 0), count) }
        let (lower, upper) = (clamp(start ?? 0), clamp(stop ?? count))
        return lower <= upper ? lower..<upper : nil
    }

    private static func find(_ name: String, fromRight: Bool, isRequired: Bool) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let (part, range) = try scope(of: name, text, arguments, interpreter)
            let position = range.flatMap { range in
                fromRight
                    ? text.positionsFromRight(of: part, in: range, limit: 1).first
                    : text.positions(of: part, in: range, limit: 1).first
            }
            guard position != nil || !isRequired else { throw TemplateError(.invalidValue, "substring not found") }
            return .integer(position ?? -1, text.origin)
        }
    }

    private static func affix(
        _ name: String, _ holds: @escaping @Sendable (MarkedText, MarkedText) -> Bool
    ) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            let bound = try arguments.bound(to: ["affix", "start", "end"], of: name, required: 1)
            guard let range = try range(bound, text.count) else { return .bool(false) }
            let part = text[range]
            switch bound[0] {
            case .string(let affix)?: return .bool(holds(part, affix))
            case .sequence(let sequence)? where sequence.kind == .tuple:
                return .bool(sequence.items.contains { $0.text.map { holds(part, $0) } ?? false })
            default: throw bound.wrong(0, "a string or a tuple of strings", bound[0] ?? .none)
            }
        }
    }
}
