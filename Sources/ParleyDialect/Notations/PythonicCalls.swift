// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyJSON

/// Calls in Python's notation: `get_weather(city="Bern", days=2)`.
enum PythonicCalls {
    /// The calls in a text, in order, in lists or not.
    static func read(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try LiteralReader.reading(text, calls)
    }

    private static func calls(
        _ reader: inout LiteralReader
    ) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        repeat {
            if reader.take("[") {
                while !reader.take("]") {
                    try LiteralReader.checkCount(calls.count)
                    calls.append(try call(&reader))
                    if !reader.take(","), reader.afterWhitespace(reader.position) >= reader.bytes.count {
                        throw FunctionCallSyntaxError(.cut, "It ends before the list of calls does.")
                    }
                }
            } else {
                reader.skipWhitespace()
                if reader.isAtEnd { break }
                try LiteralReader.checkCount(calls.count)
                calls.append(try call(&reader))
            }
        } while reader.take(",") || reader.take(";") || reader.afterWhitespace(reader.position) < reader.bytes.count
        guard !calls.isEmpty else { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        return calls
    }

    private static func call(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> ParsedFunctionCall {
        let name = try reader.functionName()
        guard reader.take("(") else { throw reader.failure("A parenthesis is expected after the function's name.") }
        var arguments: JSONObject = [:]
        var needsComma = false
        while !reader.take(")") {
            if needsComma, !reader.take(",") { throw reader.failure("A comma or a closing parenthesis is expected.") }
            if reader.take(")") { break }
            try argument(&reader, into: &arguments)
            needsComma = true
        }
        return ParsedFunctionCall(name: name, arguments: arguments)
    }

    private static func argument(
        _ reader: inout LiteralReader, into arguments: inout JSONObject
    ) throws(FunctionCallSyntaxError) {
        reader.skipWhitespace()
        let start = reader.position
        if reader.take(tag: "**") {
            guard case .object(let members) = try reader.value(),
                members.keys.allSatisfy({ arguments[$0] == nil })
            else {
                throw FunctionCallSyntaxError(
                    .invalidArguments, "At byte \(start): a dictionary of other parameters is expected.")
            }
            arguments.merge(members) { first, _ in first }
            return
        }
        let parameter = reader.name()
        if !parameter.isEmpty, reader.take("=") || reader.take(":") {
            guard arguments[parameter] == nil else {
                throw FunctionCallSyntaxError(.invalidArguments, "At byte \(start): a parameter has two values.")
            }
            arguments[parameter] = try reader.value()
            return
        }
        if !parameter.isEmpty, reader.isAtEnd { throw reader.failure("") }
        reader.position = start
        // A single dictionary is accepted instead of keyword arguments.
        guard case .object(let members) = try reader.value(), arguments.isEmpty else {
            throw FunctionCallSyntaxError(.invalidArguments, "At byte \(start): an argument has no parameter's name.")
        }
        arguments = members
    }

    // MARK: Writing

    /// A call as it is written in prompts.
    static func spell(_ call: FunctionCall) -> String { call.name + PythonLiteral.arguments(call.arguments) }

    /// A call of one of several functions.
    static func grammar(calling functions: [Function]) -> Grammar {
        .choice(
            functions.map { .sequence([.literal($0.name), .keywordArguments($0.parameters.value)]) })
    }
}
