// SPDX-License-Identifier: Apache-2.0

extension Filters {
    /// Filters that apply a test or a filter to each element.
    static let selections: [String: Filter] = [
        "select": selection(byAttribute: false, keeping: true),
        "reject": selection(byAttribute: false, keeping: false),
        "selectattr": selection(byAttribute: true, keeping: true),
        "rejectattr": selection(byAttribute: true, keeping: false),
        "map": { interpreter, value, arguments throws(TemplateError) in
            guard value.isTrue else { return .sequence(try interpreter.sequence(.generator, [], origin: .template)) }
            var results: [Value] = []
            if arguments.positional.isEmpty, arguments.keyword.contains(where: { $0.name == "attribute" }) {
                let bound = try arguments.bound(to: ["attribute", "default"], of: "map")
                for item in try interpreter.elements(of: value) {
                    results.append(
                        try interpreter.attribute(at: bound[0] ?? .none, of: item, fallback: bound.present(1)))
                }
            } else {
                let (name, rest) = try named(arguments, "map")
                for item in try interpreter.elements(of: value) {
                    try interpreter.charge(steps: 1)
                    results.append(try interpreter.filter(name, item, rest))
                }
            }
            return .sequence(try interpreter.sequence(.generator, results, origin: value.origin))
        },
    ]

    /// The name of a filter or a test given as the first argument, and the arguments behind it.
    private static func named(
        _ arguments: CallArguments, _ function: String
    ) throws(TemplateError) -> (name: String, rest: CallArguments) {
        guard let name = arguments.positional.first?.text else {
            throw TemplateError(.wrongType, "\(function) requires the name of a filter or a test")
        }
        let isKnown = Filters.table[name.string] != nil || Predicates.table[name.string] != nil
        guard isKnown || name.origin == .template else {
            throw TemplateError(.unsupported, "\(function) was given a name that is no filter and no test")
        }
        var rest = arguments
        rest.positional.removeFirst()
        return (name.string, rest)
    }

    private static func selection(byAttribute: Bool, keeping: Bool) -> Filter {
        { interpreter, value, arguments throws(TemplateError) in
            var arguments = arguments
            var path: Value?
            guard value.isTrue else { return .sequence(try interpreter.sequence(.generator, [], origin: .template)) }
            if byAttribute {
                guard !arguments.positional.isEmpty else {
                    throw TemplateError(.wrongType, "Missing parameter for attribute name")
                }
                path = arguments.positional.removeFirst()
            }
            let test = arguments.positional.isEmpty ? nil : try named(arguments, "select")
            var selected: [Value] = []
            for item in try interpreter.elements(of: value) {
                try interpreter.charge(steps: 1)
                let subject =
                    try path.map { path throws(TemplateError) in try interpreter.attribute(at: path, of: item) } ?? item
                let holds =
                    try test.map { test throws(TemplateError) in
                        try interpreter.test(test.name, subject, test.rest)
                    } ?? subject.isTrue
                if holds == keeping { selected.append(item) }
            }
            return .sequence(try interpreter.sequence(.generator, selected, origin: value.origin))
        }
    }
}
