// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Interpreter {
    func call(_ macro: MacroValue, _ arguments: CallArguments) throws(TemplateError) -> Value {
        try enter(levels: 3)
        let outer = scope
        scope = Scope(parent: macro.scope)
        defer {
            scope = outer
            leave(levels: 3)
        }
        let text = try captured { () throws(TemplateError) in
            try bind(arguments, of: macro.definition)
            _ = try run(macro.definition.body)
        }
        return .string(text)
    }

    /// Sets the macro's parameters in the new scope, in order, since a default may use the parameters before it.
    private func bind(_ arguments: CallArguments, of macro: MacroDefinition) throws(TemplateError) {
        var positional = arguments.positional[...]
        var keyword = arguments.keyword
        for parameter in macro.parameters {
            if let value = positional.popFirst() {
                scope.set(parameter.name, value)
            } else if let index = keyword.firstIndex(where: { $0.name == parameter.name }) {
                scope.set(parameter.name, keyword.remove(at: index).value)
            } else if let fallback = parameter.fallback {
                scope.set(parameter.name, try evaluate(fallback))
            } else {
                let reason = "parameter '\(parameter.name)' was not provided"
                scope.set(parameter.name, .undefined(.because(reason)))
            }
        }
        if macro.usesCaller, !macro.parameters.contains(where: { $0.name == "caller" }) {
            let index = keyword.firstIndex { $0.name == "caller" }
            scope.set("caller", index.map { keyword.remove(at: $0).value } ?? .undefined(.because("No caller defined")))
        }
        try bindSurplus(Array(positional), keyword, of: macro)
    }

    private func bindSurplus(
        _ positional: [Value], _ keyword: [(name: String, value: Value)], of macro: MacroDefinition
    ) throws(TemplateError) {
        if macro.usesKwargs {
            let pairs = keyword.map { (Value.text($0.name), $0.value) }
            scope.set("kwargs", try mapping(OrderedDictionary(pairs, uniquingKeysWith: { _, last in last })))
        } else if !keyword.isEmpty {
            throw TemplateError(.wrongType, "macro '\(macro.name)' was given a keyword argument it does not take")
        }
        if macro.usesVarargs {
            scope.set("varargs", try tuple(positional))
        } else if !positional.isEmpty {
            throw TemplateError(
                .wrongType, "macro '\(macro.name)' takes not more than \(macro.parameters.count) argument(s)")
        }
    }
}
