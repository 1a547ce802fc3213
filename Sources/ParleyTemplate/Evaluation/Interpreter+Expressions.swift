// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Interpreter {
    /// Never inlined, like the methods it leads to: an expression takes the stack of the methods it needs and not of
    /// all there are, and a template can nest expressions as deep as the limit allows.
    @inline(never)
    func evaluate(_ expression: Expression) throws(TemplateError) -> Value {
        do throws(TemplateError) {
            try enter()
            defer { leave() }
            return try evaluateKind(of: expression)
        } catch {
            throw error.located(line: expression.line, construct: expression.construct)
        }
    }

    @inline(never)
    private func evaluateKind(of expression: Expression) throws(TemplateError) -> Value {
        switch expression.kind {
        case .none: return .none
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value, .template)
        case .double(let value): return .double(value, .template)
        case .string(let text): return .string(text)
        case .name(let name): return variable(name)
        case .captured: return captured
        case .list, .tuple, .dictionary: return try evaluateContainer(expression.kind)
        case .attribute, .element, .slice: return try evaluateMember(expression.kind)
        case .call: return try evaluate(expression, caller: nil)
        case .filter, .test: return try evaluateApplication(expression.kind)
        case .not, .negative, .positive, .binary, .and, .or: return try evaluateOperator(expression.kind)
        case .concatenation, .comparison, .conditional: return try evaluateChain(expression.kind)
        }
    }

    @inline(never)
    private func evaluateContainer(_ kind: Expression.Kind) throws(TemplateError) -> Value {
        switch kind {
        case .list(let items): try list(try evaluateAll(items))
        case .tuple(let items): try tuple(try evaluateAll(items))
        case .dictionary(let entries): try dictionary(entries)
        default: .none
        }
    }

    @inline(never)
    private func evaluateMember(_ kind: Expression.Kind) throws(TemplateError) -> Value {
        switch kind {
        case .attribute(let value, let name, let key): return try attribute(name, key: key, of: try evaluate(value))
        case .element(let value, let index):
            let container = try evaluate(value)
            return try element(try evaluate(index), of: container)
        case .slice(let value, let bounds): return try slice(value, bounds)
        default: return .none
        }
    }

    @inline(never)
    private func evaluateApplication(_ kind: Expression.Kind) throws(TemplateError) -> Value {
        switch kind {
        case .filter(let value, let name, let arguments):
            try filter(name, try evaluate(value), try evaluate(arguments))
        case .test(let value, let name, let arguments):
            .bool(try test(name, try evaluate(value), try evaluate(arguments)))
        default: .none
        }
    }

    @inline(never)
    private func evaluateOperator(_ kind: Expression.Kind) throws(TemplateError) -> Value {
        switch kind {
        case .not(let operand): return .bool(try !evaluate(operand).isTrue)
        case .negative(let operand): return try negated(try evaluate(operand))
        case .positive(let operand): return try signed(try evaluate(operand))
        case .binary(let binary, let left, let right):
            return try apply(binary, try evaluate(left), try evaluate(right))
        case .and(let left, let right):
            let value = try evaluate(left)
            return value.isTrue ? try evaluate(right) : value
        case .or(let left, let right):
            let value = try evaluate(left)
            return value.isTrue ? value : try evaluate(right)
        default: return .none
        }
    }

    @inline(never)
    private func evaluateChain(_ kind: Expression.Kind) throws(TemplateError) -> Value {
        switch kind {
        case .concatenation(let parts): try concatenate(parts)
        case .comparison(let first, let rest): try compare(first, rest)
        case .conditional(let test, let then, let otherwise): try choose(test, then, otherwise)
        default: .none
        }
    }

    @inline(never)
    private func variable(_ name: String) -> Value {
        if let value = scope[name] { return value }
        if let function = GlobalFunction(rawValue: name) { return .callable(.function(function)) }
        return .undefined(.variable(name))
    }

    @inline(never)
    private func choose(
        _ test: Expression, _ then: Expression, _ otherwise: Expression?
    ) throws(TemplateError) -> Value {
        if try evaluate(test).isTrue { return try evaluate(then) }
        guard let otherwise else {
            return .undefined(
                .because("the inline if-expression evaluated to false and no else section was defined."))
        }
        return try evaluate(otherwise)
    }

    @inline(never)
    private func concatenate(_ parts: [Expression]) throws(TemplateError) -> Value {
        var result = MarkedText()
        for part in parts {
            let text = try printed(try evaluate(part))
            try charge(characters: text.count)
            result.append(text)
        }
        return .string(result)
    }

    @inline(never)
    private func evaluateAll(_ expressions: [Expression]) throws(TemplateError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(expressions.count)
        for expression in expressions { values.append(try evaluate(expression)) }
        return values
    }

    @inline(never)
    private func dictionary(_ entries: [Expression.DictionaryEntry]) throws(TemplateError) -> Value {
        var members: OrderedDictionary<Value, Value> = [:]
        for entry in entries { members[try key(try evaluate(entry.key))] = try evaluate(entry.value) }
        return try mapping(members)
    }

    /// A value that may be a dictionary's key.
    func key(_ value: Value) throws(TemplateError) -> Value {
        try charge(steps: value.weight / 16)
        guard value.isHashable else { throw TemplateError(.wrongType, "unhashable type: '\(value.typeName)'") }
        return value
    }

    // MARK: Calls

    /// Evaluates a call; `caller` is the body of a call block, which the macro sees as a macro of that name.
    @inline(never)
    func evaluate(_ call: Expression, caller: MacroDefinition?) throws(TemplateError) -> Value {
        guard case .call(let callee, let given) = call.kind else { return try evaluate(call) }
        let function = try evaluate(callee)
        var arguments = try evaluate(given)
        if let caller {
            try keep(scope)
            arguments.keyword.append(("caller", .callable(.macro(MacroValue(definition: caller, scope: scope)))))
        }
        do throws(TemplateError) {
            return try self.call(function, arguments)
        } catch {
            throw error.located(line: call.line, construct: call.construct)
        }
    }

    @inline(never)
    private func evaluate(_ given: Expression.Arguments) throws(TemplateError) -> CallArguments {
        var arguments = CallArguments(positional: try evaluateAll(given.positional))
        for (name, value) in given.keyword { arguments.keyword.append((name, try evaluate(value))) }
        if let list = given.unpackedList {
            arguments.positional += try elements(of: try evaluate(list))
        }
        if let dictionary = given.unpackedDictionary {
            guard case .mapping(let mapping) = try evaluate(dictionary) else {
                throw TemplateError(.wrongType, "the argument after ** must be a mapping")
            }
            for (name, value) in mapping.members {
                guard let name = name.text else { throw TemplateError(.wrongType, "keywords must be strings") }
                arguments.keyword.append((name.string, value))
            }
        }
        return arguments
    }

    @inline(never)
    func call(_ function: Value, _ arguments: CallArguments) throws(TemplateError) -> Value {
        switch function {
        case .callable(.function(let function)): return try call(function, arguments)
        case .callable(.method(of: let receiver, name: let name)):
            return try callMethod(name, of: receiver, arguments)
        case .callable(.macro(let macro)): return try call(macro, arguments)
        case .loop(let loop): return try call(loop, arguments)
        case .joiner(let joiner): return .string(joiner.call())
        case .undefined(let undefined): throw undefined.error
        default: throw TemplateError(.wrongType, "'\(function.typeName)' object is not callable")
        }
    }

    // MARK: Iteration

    /// What a loop over the value goes through.
    func elements(of value: Value) throws(TemplateError) -> [Value] {
        switch value {
        case .undefined: return []
        case .sequence(let sequence):
            try charge(steps: sequence.items.count / 8)
            return sequence.takeAll()
        case .mapping(let mapping):
            try charge(elements: mapping.members.count)
            return Array(mapping.members.keys)
        case .string(let text):
            try charge(elements: text.count)
            let plain = text.marked(asMarkup: false)
            return (0..<text.count).map { .string(plain[$0..<($0 + 1)]) }
        default: throw TemplateError(.wrongType, "'\(value.typeName)' object is not iterable")
        }
    }
}
