// SPDX-License-Identifier: Apache-2.0

/// A keyword argument of a call. Its name has an origin too: after `**` it can come from the input.
struct Keyword {
    let name: String
    var origin = TemplateOrigin.template
    let value: Value
}

/// The arguments of a call.
struct CallArguments {
    var positional = Elements.none
    var keyword: [Keyword] = []
    /// The object that pays for those from a dictionary.
    var unpacked: AnyObject?

    /// Assigns the values to a function's parameters; parameters that were not given are nil.
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

    /// For functions without parameters.
    func expectNone(of function: String) throws(TemplateError) {
        _ = try bound(to: [], of: function)
    }
}

/// The values of a function's parameters, by their place.
struct BoundArguments {
    let function: String
    let names: [String]
    let values: [Value?]

    subscript(index: Int) -> Value? { values[index] }

    /// The value; nil where it is missing or `none`.
    func present(_ index: Int) -> Value? {
        guard let value = values[index], !value.isNone else { return nil }
        return value
    }

    /// A text, which must be a string.
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
