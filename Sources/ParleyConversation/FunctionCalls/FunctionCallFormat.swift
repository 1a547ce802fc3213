// SPDX-License-Identifier: Apache-2.0

/// How a model writes function calls, as an option: a family's dialect, such as `.hermes`, an app's own, or none.
///
/// ```swift
/// var options = GenerationOptions(functionCallParser: .hermes)
/// options.functionCallParser = FunctionCallFormat(HermesDialect(name: "mine", opening: "<<call", closing: ">>"))
/// options.functionCallParser = .rawText
/// ```
public struct FunctionCallFormat: Sendable {
    /// The parser that reads the calls in a reply.
    public let parser: any FunctionCallParser

    /// Creates a format from a parser or dialect.
    public init(_ parser: any FunctionCallParser) {
        self.parser = parser
    }

    /// The parser's name; formats of the same name are equal.
    public var name: String { parser.name }

    /// All tags that a call may contain. The detokenizer must output these control tokens as text.
    package var tags: [String] { [parser.opening] + (parser.closing.map { [$0] } ?? []) + parser.innerTags }

    /// The format with the parser of replies in which these functions may be called.
    package func reading(callsOf functions: [Function]) -> FunctionCallFormat {
        FunctionCallFormat(parser.reading(callsOf: functions))
    }

    /// No parser: calls remain in the text as the model writes them.
    public static let rawText = FunctionCallFormat(RawText())

    private struct RawText: FunctionCallParser {
        let name = "raw-text"
        let opening = ""
        let closing: String? = nil
        let isQuick = true

        func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
            throw FunctionCallSyntaxError(.empty, "No calls are looked for.")
        }
    }
}

extension FunctionCallFormat: Hashable {
    /// Whether two formats have the same name.
    public static func == (left: FunctionCallFormat, right: FunctionCallFormat) -> Bool {
        left.name == right.name
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
