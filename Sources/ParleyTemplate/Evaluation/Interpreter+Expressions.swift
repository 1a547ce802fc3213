// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

extension Interpreter {
    /// Not inlined, and neither are the methods that it calls, so that an expression uses only the stack of the methods
    /// it needs. A template can nest expressions as deep as the limit allows.
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
        case .name(let name): return try variable(name)
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
        case .list(let items): try sequence(.list, try evaluateAll(items))
        case .tuple(let items): try sequence(.tuple, try evaluateAll(items))
        case .dictionary(let entries): try dictionary(entries)
        default: .none
        }
    }

    @inline(never)
    private func evaluateMember(_ kind: Expression.Kind) throws(TemplateError) -> Value {
        switch kind {
        case .attribute(let value, let name, let key):
            return try attribute(name, key: Key(name: key), of: try evaluate(value))
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
    private func variable(_ name: String) throws(TemplateError) -> Value {
        if let value = try scope.value(of: name) { return value }
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
        let writer = TextWriter(meter)
        for part in parts { try print(try evaluate(part), to: writer) }
        return .string(try writer.finish())
    }

    @inline(never)
    private func evaluateAll(_ expressions: [Expression]) throws(TemplateError) -> Row<Value> {
        let values = try row(room: expressions.count)
        for expression in expressions { try values.append(try evaluate(expression)) }
        return values
    }

    @inline(never)
    private func dictionary(_ entries: [Expression.DictionaryEntry]) throws(TemplateError) -> Value {
        let members = try Members(meter)
        for entry in entries { try members.set(try meter.key(try evaluate(entry.key)), try evaluate(entry.value)) }
        return try mapping(members)
    }

    // MARK: Calls

    /// Evaluates a call. `caller` is the body of a call block, which the macro can call as `caller`.
    @inline(never)
    func evaluate(_ call: Expression, caller: MacroDefinition?) throws(TemplateError) -> Value {
        guard case .call(let callee, let given) = call.kind else { return try evaluate(call) }
        let function = try evaluate(callee)
        var arguments = try evaluate(given)
        if let caller {
            let macro = Value.callable(.macro(try MacroValue(definition: caller, scope: scope)))
            arguments.keyword.append(Keyword(name: "caller", value: macro))
        }
        do throws(TemplateError) {
            return try self.call(function, arguments)
        } catch {
            throw error.located(line: call.line, construct: call.construct)
        }
    }

    @inline(never)
    private func evaluate(_ given: Expression.Arguments) throws(TemplateError) -> CallArguments {
        var arguments = CallArguments()
        if !given.positional.isEmpty || given.unpackedList != nil {
            let values = try evaluateAll(given.positional)
            if let list = given.unpackedList {
                try values.append(contentsOf: try elements(of: try evaluate(list)).items)
            }
            arguments.positional = Elements(owner: values, items: values.elements[...])
        }
        for (name, value) in given.keyword { arguments.keyword.append(Keyword(name: name, value: try evaluate(value))) }
        if let dictionary = given.unpackedDictionary {
            guard case .mapping(let mapping) = try evaluate(dictionary) else {
                throw TemplateError(.wrongType, "the argument after ** must be a mapping")
            }
            let names = try Row<Keyword>(meter)
            for (key, value) in mapping.members {
                guard let text = key.value.text else { throw TemplateError(.wrongType, "keywords must be strings") }
                guard let name = try text.name(meter) else {
                    throw TemplateError(.valueTooLarge, "A keyword is longer than \(Lexer.longestName) bytes.")
                }
                try names.append(Keyword(name: name, origin: text.origin, value: value))
                try names.hold(name.utf8.count)
            }
            arguments.unpacked = names
            arguments.keyword += names.elements
        }
        return arguments
    }

    @inline(never)
    func call(_ function: Value, _ arguments: CallArguments) throws(TemplateError) -> Value {
        try meter.step()
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

    /// The elements of a loop over the value.
    func elements(of value: Value) throws(TemplateError) -> Elements {
        let row: Row<Value>
        switch value {
        case .undefined: return .none
        case .sequence(let sequence): return try sequence.takeAll()
        case .mapping(let mapping):
            row = try self.row(room: mapping.members.count)
            for key in mapping.members.keys { try row.append(key.value) }
        case .string(let text):
            let plain = text.marked(asMarkup: false)
            row = try self.row(room: text.isASCII ? text.size : 0)
            var index = 0
            while index < plain.size {
                try meter.work(4)
                let end = plain.end(after: index)
                try row.append(.string(plain[index..<end]))
                index = end
            }
        default: throw TemplateError(.wrongType, "'\(value.typeName)' object is not iterable")
        }
        return Elements(owner: row, items: row.elements[...])
    }
}
