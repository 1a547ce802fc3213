// SPDX-License-Identifier: Apache-2.0

extension Filters {
    /// Filters that apply a test or a filter to each element.
    static let selections: [String: Filter] = [
        "select": selection(byAttribute: false, keeping: true),
        "reject": selection(byAttribute: false, keeping: false),
        "selectattr": selection(byAttribute: true, keeping: true),
        "rejectattr": selection(byAttribute: true, keeping: false),
        "map": { interpreter, value, arguments throws(TemplateError) in
            guard value.isTrue else { return try interpreter.sequence(.generator, of: []) }
            let results = try interpreter.row()
            if arguments.positional.count == 0, arguments.keyword.contains(where: { $0.name == "attribute" }) {
                let bound = try arguments.bound(to: ["attribute", "default"], of: "map")
                for item in try interpreter.elements(of: value) {
                    try interpreter.meter.step()
                    try results.append(
                        try interpreter.attribute(at: bound[0] ?? .none, of: item, fallback: bound.present(1)))
                }
            } else {
                let (name, rest) = try named(arguments, "map", interpreter.meter)
                for item in try interpreter.elements(of: value) {
                    try interpreter.meter.step()
                    try results.append(try interpreter.filter(name, item, rest))
                }
            }
            return try interpreter.sequence(.generator, results, origin: value.origin)
        },
    ]

    /// The filter or test named by the first argument, with the arguments after it.
    private static func named(
        _ arguments: CallArguments, _ function: String, _ meter: Meter
    ) throws(TemplateError) -> (name: String, rest: CallArguments) {
        guard let text = arguments.positional.items.first?.text else {
            throw TemplateError(.wrongType, "\(function) requires the name of a filter or a test")
        }
        let name = try text.name(meter) ?? ""
        let isKnown = Filters.table[name] != nil || Predicates.table[name] != nil
        guard isKnown || text.origin == .template else {
            throw TemplateError(.unsupported, "\(function) was given a name that is no filter and no test")
        }
        var rest = arguments
        rest.positional = rest.positional.dropFirst()
        return (name, rest)
    }

    private static func selection(byAttribute: Bool, keeping: Bool) -> Filter {
        { interpreter, value, arguments throws(TemplateError) in
            var arguments = arguments
            var path: Value?
            guard value.isTrue else { return try interpreter.sequence(.generator, of: []) }
            if byAttribute {
                guard let first = arguments.positional.items.first else {
                    throw TemplateError(.wrongType, "Missing parameter for attribute name")
                }
                path = first
                arguments.positional = arguments.positional.dropFirst()
            }
            let test = arguments.positional.count == 0 ? nil : try named(arguments, "select", interpreter.meter)
            let selected = try interpreter.row()
            for item in try interpreter.elements(of: value) {
                try interpreter.meter.step()
                let subject =
                    try path.map { path throws(TemplateError) in try interpreter.attribute(at: path, of: item) } ?? item
                let holds =
                    try test.map { test throws(TemplateError) in
                        try interpreter.test(test.name, subject, test.rest)
                    } ?? subject.isTrue
                if holds == keeping { try selected.append(item) }
            }
            return try interpreter.sequence(.generator, selected, origin: value.origin)
        }
    }
}
