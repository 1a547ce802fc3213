// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Reads calls as Liquid's models write them: `[get_weather(city="Bern", days=2), get_time(zone='CET')]`.
///
/// The brackets may be missing, and JSON is read as ``JSONCallParser`` does.
public struct PythonicCallParser: FunctionCallParser {
    /// Creates a parser.
    public init() {}

    /// The calls in a text, in order.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let start = text.drop { $0.isWhitespace || $0 == "[" }.first
        if start == "{" { return try JSONCallParser().parseJSON(text) }
        return try parsePythonic(text)
    }

    func parsePythonic(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        do throws(FunctionCallSyntaxError) {
            return try calls(LiteralReader(text))
        } catch {
            guard let calls = try? calls(LiteralReader(text, endsStringsAfterBackslash: true)) else { throw error }
            return calls
        }
    }

    private func calls(_ reader: LiteralReader) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var reader = reader
        var calls: [ParsedFunctionCall] = []
        repeat {
            if reader.take("[") {
                while !reader.take("]") {
                    calls.append(try call(&reader))
                    if !reader.take(","), reader.afterWhitespace(reader.position) >= reader.bytes.count {
                        throw FunctionCallSyntaxError(.cut, "It ends before the list of calls does.")
                    }
                }
            } else {
                reader.skipWhitespace()
                if reader.isAtEnd { break }
                calls.append(try call(&reader))
            }
        } while reader.take(",") || reader.take(";") || reader.afterWhitespace(reader.position) < reader.bytes.count
        guard !calls.isEmpty else { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        return calls
    }

    private func call(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> ParsedFunctionCall {
        reader.skipWhitespace()
        let name = reader.name()
        guard !name.isEmpty else {
            if reader.isAtEnd { throw reader.failure("") }
            throw FunctionCallSyntaxError(.missingName, "At byte \(reader.position): a function's name is expected.")
        }
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

    private func argument(
        _ reader: inout LiteralReader, into arguments: inout JSONObject
    ) throws(FunctionCallSyntaxError) {
        reader.skipWhitespace()
        let start = reader.position
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
        // A single map in place of named arguments means them.
        guard case .object(let members) = try reader.value(), arguments.isEmpty else {
            throw FunctionCallSyntaxError(.invalidArguments, "At byte \(start): an argument has no parameter's name.")
        }
        arguments = members
    }
}
