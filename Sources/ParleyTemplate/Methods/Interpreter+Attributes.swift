// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// `value.name`: the attribute of the value's Python type, or else, for dictionaries, the member.
extension Interpreter {
    @inline(never)
    func attribute(_ name: String, key: Key, of value: Value) throws(TemplateError) -> Value {
        if let builtin = try builtinAttribute(name, of: value) { return builtin }
        if case .mapping(let mapping) = value, let member = mapping.members[key] { return member }
        return try missing(key.value, value)
    }

    /// The attribute of the value's type; nil where there is none.
    func builtinAttribute(_ name: String, of value: Value) throws(TemplateError) -> Value? {
        try meter.work(Scope.price(ofName: name))
        switch value {
        case .undefined(let undefined): throw undefined.error
        case .string: return StringMethods.table[name].map { _ in method(name, value) }
        case .mapping:
            if MappingMethods.forbidden.contains(name) { return .undefined(.unsafe(name, of: "dict")) }
            return MappingMethods.names.contains(name) ? method(name, value) : nil
        case .sequence(let sequence): return attribute(name, of: sequence)
        case .namespace(let namespace): return namespace.attributes[name]
        case .loop(let loop): return try attribute(name, of: loop)
        case .cycler(let cycler):
            if name == "current" { return cycler.current }
            return name == "next" || name == "reset" ? method(name, value) : nil
        case .callable(.macro(let macro)): return try attribute(name, of: macro.definition)
        default: return nil
        }
    }

    private func method(_ name: String, _ value: Value) -> Value {
        .callable(.method(of: value, name: name))
    }

    private func attribute(_ name: String, of sequence: SequenceValue) -> Value? {
        let value = Value.sequence(sequence)
        switch sequence.kind {
        case .list:
            if SequenceMethods.forbidden.contains(name) { return .undefined(.unsafe(name, of: "list")) }
            return SequenceMethods.names.contains(name) || name == "copy" ? method(name, value) : nil
        case .group where name == "grouper" || name == "list":
            return sequence.items[name == "grouper" ? 0 : 1]
        case .tuple, .group, .range: return SequenceMethods.names.contains(name) ? method(name, value) : nil
        default: return nil
        }
    }

    private func attribute(_ name: String, of macro: MacroDefinition) throws(TemplateError) -> Value? {
        switch name {
        case "name": try self.value(ofName: macro.name)
        case "arguments": try names(of: macro)
        case "catch_kwargs": .bool(macro.usesKwargs)
        case "catch_varargs": .bool(macro.usesVarargs)
        case "caller": .bool(macro.usesCaller)
        default: nil
        }
    }

    private func names(of macro: MacroDefinition) throws(TemplateError) -> Value {
        let row = try row(room: macro.parameters.count)
        for parameter in macro.parameters { try row.append(try value(ofName: parameter.name)) }
        return try sequence(.tuple, row)
    }

    @inline(never)
    func callMethod(
        _ name: String, of receiver: Value, _ arguments: CallArguments
    ) throws(TemplateError) -> Value {
        switch receiver {
        case .string(let text):
            if let method = StringMethods.table[name] { return try method(self, text, arguments) }
        case .mapping(let mapping): return try MappingMethods.call(name, mapping, arguments, self)
        case .sequence(let sequence): return try SequenceMethods.call(name, sequence, arguments, self)
        case .loop(let loop): return try callMethod(name, of: loop, arguments)
        case .cycler(let cycler):
            try arguments.expectNone(of: name)
            if name == "next" { return cycler.next() }
            cycler.position = 0
            return .none
        default: break
        }
        throw TemplateError(.wrongType, "'\(receiver.typeName)' object has no method '\(name)'")
    }
}
