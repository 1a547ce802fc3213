// SPDX-License-Identifier: Apache-2.0

extension Interpreter {
    func call(_ macro: MacroValue, _ arguments: CallArguments) throws(TemplateError) -> Value {
        try enter(levels: 3)
        let outer = scope
        defer {
            scope = outer
            leave(levels: 3)
        }
        scope = try Scope(meter, parent: macro.scope)
        let text = try captured { () throws(TemplateError) in
            try bind(arguments, of: macro.definition)
            _ = try run(macro.definition.body)
        }
        return .string(text)
    }

    /// Sets the macro's parameters in the new scope, in order, since a default may use the parameters before it.
    private func bind(_ arguments: CallArguments, of macro: MacroDefinition) throws(TemplateError) {
        var positional = arguments.positional.items
        var keyword = arguments.keyword
        // Each parameter is looked for among the keywords.
        try meter.work(keyword.count * 16 * (macro.parameters.count + 1))
        for parameter in macro.parameters {
            if let value = positional.popFirst() {
                try scope.set(parameter.name, value)
            } else if let index = keyword.firstIndex(where: { $0.name == parameter.name }) {
                try scope.set(parameter.name, keyword.remove(at: index).value)
            } else if let fallback = parameter.fallback {
                try scope.set(parameter.name, try evaluate(fallback))
            } else {
                let reason = "parameter '\(parameter.name)' was not provided"
                try scope.set(parameter.name, .undefined(.because(reason)))
            }
        }
        if macro.usesCaller, !macro.parameters.contains(where: { $0.name == "caller" }) {
            let caller = keyword.firstIndex { $0.name == "caller" }.map { keyword.remove(at: $0).value }
            try scope.set("caller", caller ?? .undefined(.because("No caller defined")))
        }
        try bindSurplus(positional, keyword, of: macro)
    }

    private func bindSurplus(
        _ positional: ArraySlice<Value>, _ keyword: [Keyword], of macro: MacroDefinition
    ) throws(TemplateError) {
        if macro.usesKwargs {
            let members = try Members(meter)
            for argument in keyword {
                try members.set(try meter.key(try value(ofName: argument.name, argument.origin)), argument.value)
            }
            try scope.set("kwargs", try mapping(members))
        } else if !keyword.isEmpty {
            throw TemplateError(.wrongType, "macro '\(macro.name)' was given a keyword argument it does not take")
        }
        if macro.usesVarargs {
            let row = try row(room: positional.count)
            try row.append(contentsOf: positional)
            try scope.set("varargs", try sequence(.tuple, row))
        } else if !positional.isEmpty {
            throw TemplateError(
                .wrongType, "macro '\(macro.name)' takes not more than \(macro.parameters.count) argument(s)")
        }
    }
}
