// SPDX-License-Identifier: Apache-2.0

/// A keyword argument of a call. Its name has an origin too, because with `**` it may come from the input.
struct Keyword {
    let name: String
    var origin = TemplateOrigin.template
    let value: Value
}

/// The arguments of a call.
struct CallArguments {
    var positional = Elements.none
    var keyword: [Keyword] = []
    /// The object that is charged for the memory of arguments from a dictionary.
    var unpacked: AnyObject?

    /// Assigns the values to a function's parameters; missing ones are nil.
    func bound(
        to names: [String], of function: String, required: Int = 0
    ) throws(TemplateError) -> BoundArguments {
        guard positional.count <= names.count else {
            throw TemplateError(.wrongType, "\(function)() takes at most \(names.count) arguments")
        }
        var values = [Value?](repeating: nil, count: names.count)
        for (index, value) in positional.enumerated() { values[index] = value }
        for argument in keyword {
            guard let index = names.firstIndex(of: argument.name), values[index] == nil else {
                throw TemplateError(.wrongType, "\(function)() got an unexpected keyword argument")
            }
            values[index] = argument.value
        }
        guard values.prefix(required).allSatisfy({ $0 != nil }) else {
            throw TemplateError(.wrongType, "\(function)() is missing a required argument")
        }
        return BoundArguments(function: function, names: names, values: values)
    }

    /// Throws if there are any arguments.
    func expectNone(of function: String) throws(TemplateError) {
        _ = try bound(to: [], of: function)
    }
}

/// The values of a function's parameters, by index.
struct BoundArguments {
    let function: String
    let names: [String]
    let values: [Value?]

    subscript(index: Int) -> Value? { values[index] }

    /// The value at an index; nil if it is missing or `none`.
    func present(_ index: Int) -> Value? {
        guard let value = values[index], !value.isNone else { return nil }
        return value
    }

    /// The string at an index; throws for a value of another type.
    func text(_ index: Int) throws(TemplateError) -> MarkedText? {
        guard let value = values[index] else { return nil }
        guard let text = value.text else { throw wrong(index, "a string", value) }
        return text
    }

    func integer(_ index: Int) throws(TemplateError) -> Int? {
        guard let value = values[index] else { return nil }
        guard let integer = value.integer else { throw wrong(index, "an integer", value) }
        return integer
    }

    func bool(_ index: Int) -> Bool { values[index]?.isTrue ?? false }

    func wrong(_ index: Int, _ expected: String, _ value: Value) -> TemplateError {
        if case .undefined(let undefined) = value { return undefined.error }
        return TemplateError(
            .wrongType, "argument '\(names[index])' of \(function)() must be \(expected), not \(value.typeName)")
    }
}
