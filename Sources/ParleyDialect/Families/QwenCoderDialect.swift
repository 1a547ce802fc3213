// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
public import ParleyConstraint
public import ParleyConversation
import ParleyJSON

/// The dialect of Qwen3-Coder, Qwen3.5, Nemotron 3 and Step 3.5, which write each argument between tags:
///
/// ```
/// <tool_call>
/// <function=get_weather>
/// <parameter=city>
/// Bern
/// </parameter>
/// <parameter=days>
/// 2
/// </parameter>
/// </function>
/// </tool_call>
/// ```
///
/// An argument does not show its type, which follows from the function's schema: strings are written as they are, other
/// values as JSON. If a parameter may be a string or something else, a text that is JSON of an allowed type is that
/// value, and any other text is a string. Values may also be written as in Python. `<tool_call>` may be missing before a
/// function.
public struct QwenCoderDialect: CallDialect {
    /// `qwen-coder`.
    public let name = "qwen-coder"
    /// The tag that begins a call.
    public let opening = "<tool_call>"
    /// The tag that ends a call.
    public let closing: String? = "</tool_call>"
    /// Some of these models leave out the opening tag.
    public let bareOpening = "<function="
    /// True: parsing is quick.
    public let isQuick = true

    /// The schemas of the functions' arguments, by the functions' names.
    private var schemas: [ExactText: JSONValue] = [:]

    /// Creates the dialect, in which every parameter may have any type.
    public init() {}

    /// The dialect with the types of these functions' parameters.
    public func reading(callsOf functions: [Function]) -> QwenCoderDialect {
        var dialect = self
        dialect.schemas = Dictionary(functions.map { (ExactText($0.name), $0.parameters.value) }) { $1 }
        return dialect
    }

    /// Whether the name has only letters, digits, `_`, `-` and `.`.
    public func canCall(_ name: String) -> Bool { LiteralReader.isPlainName(name) }

    /// Each call between tags of its own.
    public func spell(_ calls: [FunctionCall]) -> String {
        calls.map { call in
            let arguments = texts(of: call.arguments, kinds(of: call.name)).map { name, text in
                "<parameter=\(name)>\n\(text)\n</parameter>\n"
            }
            return "<tool_call>\n<function=\(call.name)>\n\(arguments.joined())</function>\n</tool_call>"
        }.joined(separator: "\n")
    }

    /// The texts of arguments: where the schema has alternatives, those of the first one with which they are read as the
    /// same arguments.
    private func texts(of arguments: JSONObject, _ kinds: PropertyKinds) -> [ArgumentText] {
        func texts(_ kinds: PropertyKinds) -> [ArgumentText] {
            arguments.map { ($0.key, spell($0.value, for: $0.key, kinds)) }
        }
        let alternatives = kinds.alternatives
        guard alternatives.count > 1, kinds.accept(arguments) else { return texts(kinds) }
        let found = alternatives.lazy.map(texts).first { (try? self.arguments($0, kinds)) == arguments }
        return found ?? texts(kinds)
    }

    private func spell(_ value: JSONValue, for name: String, _ kinds: PropertyKinds) -> String {
        // A string that would be read as something else is written as JSON.
        if let text = value.string, (try? self.value(text, for: name, kinds)) == value { return text }
        return value.text(.python)
    }

    /// What is known of the values of a function's parameters.
    private func kinds(of function: String) -> PropertyKinds { PropertyKinds(schemas[ExactText(function)] ?? true) }

    /// The grammar of one call.
    public func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        .sequence([.pattern("\\n?"), .literal("<function="), Self.named(functions), .pattern("\\n?")])
    }

    /// The grammar of one call behind `<function=`, up to `</function>`.
    public func bareGrammar(calling functions: [Function]) -> Grammar? { Self.named(functions) }

    private static func named(_ functions: [Function]) -> Grammar {
        .choice(
            functions.map { .sequence([.literal($0.name), .taggedArguments($0.parameters.value)]) })
    }

    // MARK: Reading

    private typealias ArgumentText = (name: String, text: String)

    /// The calls in a text, in order.
    ///
    /// - Throws: `FunctionCallSyntaxError` where any of them cannot be read.
    public func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        try LiteralReader.reading(text, calls)
    }

    private func calls(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        var calls: [ParsedFunctionCall] = []
        while reader.take(tag: "<function=") {
            try LiteralReader.checkCount(calls.count)
            calls.append(try call(&reader))
        }
        reader.skipWhitespace()
        if calls.isEmpty, reader.isAtEnd { throw FunctionCallSyntaxError(.empty, "There is no call between the tags.") }
        guard reader.isAtEnd else { throw reader.failure("A function's tag is expected.", expecting: ["<function="]) }
        return calls
    }

    private func call(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> ParsedFunctionCall {
        let function = try reader.functionName()
        let kinds = kinds(of: function)
        guard reader.take(">") else {
            throw reader.failure("The end of the function's tag is expected.", expecting: [">"])
        }
        var texts: [ArgumentText] = []
        while reader.take(tag: "<parameter=") {
            guard let name = reader.text(upTo: ">") else {
                throw FunctionCallSyntaxError(.cut, "It ends inside a parameter's tag.")
            }
            texts.append((name, try argument(&reader)))
        }
        guard reader.take(tag: "</function>") else {
            throw reader.failure(
                "Another parameter or the end of the function is expected.", expecting: ["<parameter=", "</function>"])
        }
        return ParsedFunctionCall(name: function, arguments: try arguments(texts, kinds))
    }

    /// The arguments that texts stand for. Where the schema has alternatives, a text may be a string in one and a number
    /// in another: the first one counts with which the arguments satisfy the schema.
    private func arguments(
        _ texts: [ArgumentText], _ kinds: PropertyKinds
    ) throws(FunctionCallSyntaxError) -> JSONObject {
        let alternatives = kinds.alternatives
        for alternative in alternatives where alternatives.count > 1 {
            if let arguments = try? values(texts, alternative), kinds.accept(arguments) { return arguments }
        }
        return try values(texts, kinds)
    }

    private func values(
        _ texts: [ArgumentText], _ kinds: PropertyKinds
    ) throws(FunctionCallSyntaxError) -> JSONObject {
        var values: JSONObject = [:]
        for (name, text) in texts {
            guard values[name] == nil else {
                throw FunctionCallSyntaxError(.invalidArguments, "A parameter has two values.")
            }
            values[name] = try value(text, for: name, kinds)
        }
        return values
    }

    /// The text of an argument, without the line breaks after and before its tags. It may hold the closing tag, where
    /// neither another parameter nor the function's end follows.
    private func argument(_ reader: inout LiteralReader) throws(FunctionCallSyntaxError) -> String {
        var text = ""
        while let piece = reader.text(upTo: "</parameter>") {
            text += piece
            var ahead = reader
            if ahead.take(tag: "<parameter=") || ahead.take(tag: "</function>") {
                if text.utf8.first == UInt8(ascii: "\n") { text.unicodeScalars.removeFirst() }
                if text.utf8.last == UInt8(ascii: "\n") { text.unicodeScalars.removeLast() }
                return text
            }
            text += "</parameter>"
        }
        throw FunctionCallSyntaxError(.cut, "It ends inside an argument.", endsInsideString: true)
    }

    /// The value that a text stands for.
    private func value(
        _ text: String, for name: String, _ kinds: PropertyKinds
    ) throws(FunctionCallSyntaxError) -> JSONValue {
        if kinds.areStrings(name) { return .string(text) }
        if let value = LiteralReader.json(text), kinds.allow(value, for: name) { return value }
        if kinds.allow(.string(text), for: name) { return .string(text) }
        let value = try? LiteralReader.reading(text) { reader throws(FunctionCallSyntaxError) in
            let value = try reader.value()
            guard reader.afterWhitespace(reader.position) == reader.bytes.count else { throw reader.failure("") }
            return value
        }
        guard let value, kinds.allow(value, for: name) else {
            throw FunctionCallSyntaxError(.invalidArguments, "An argument is not of the type that its parameter has.")
        }
        return value
    }
}

extension LiteralReader {
    /// The value of a text in JSON, or one of Python's words; nil for any other text.
    fileprivate static func json(_ text: String) -> JSONValue? {
        switch text {
        case "True": true
        case "False": false
        case "None": .null
        default: try? JSONValue(parsing: text, limits: JSONLimits(depth: maximumDepth))
        }
    }
}

extension FunctionCallFormat {
    /// The format of Qwen3-Coder, Qwen3.5, Nemotron 3 and Step 3.5: `<tool_call>`, `<function=…>` and, for each argument,
    /// `<parameter=…>`.
    public static let qwenCoder = FunctionCallFormat(QwenCoderDialect())
}
