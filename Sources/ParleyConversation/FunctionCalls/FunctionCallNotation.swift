// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// How calls are written between the tags of a format: the one description from which prompts spell them and engines
/// constrain them. The parser that it belongs to reads whatever can be written so.
///
/// ```swift
/// // get_weather: {"city": "Bern"}
/// let notation = FunctionCallNotation([.name, .text(":"), .space(" "), .arguments])
/// ```
public struct FunctionCallNotation: Hashable, Sendable {
    /// A piece of a call; more kinds may be added.
    public struct Piece: Hashable, Sendable {
        package indirect enum Kind: Hashable, Sendable {
            case text(String), tag(String)
            case gap(String), space(String)
            case name(isQuoted: Bool)
            case arguments, keywordArguments
            case id
            case optional([Piece])
        }

        package let kind: Kind

        /// These characters.
        public static func text(_ text: String) -> Piece { Piece(kind: .text(text)) }

        /// A tag within the call: a control token where the vocabulary has one.
        public static func tag(_ text: String) -> Piece { Piece(kind: .tag(text)) }

        /// White space that a model may choose: none, a space, or a line break with its indentation. Prompts show the
        /// `usual` one.
        public static func gap(_ usual: String) -> Piece { Piece(kind: .gap(usual)) }

        /// A space that may be missing. Prompts show the `usual` one.
        public static func space(_ usual: String) -> Piece { Piece(kind: .space(usual)) }

        /// The function's name as it is, which must be plain: letters, digits, `_`, `-` and `.`.
        public static let name = Piece(kind: .name(isQuoted: false))

        /// The function's name as a string in JSON; it may be any.
        public static let quotedName = Piece(kind: .name(isQuoted: true))

        /// The arguments as an object in JSON.
        public static let arguments = Piece(kind: .arguments)

        /// The arguments as Python writes them, in parentheses: `(city="Bern", days=2)`. Objects inside them are
        /// dictionaries. Where a parameter's name is none to Python, so are the arguments: `(**{"the city": "Bern"})`.
        public static let keywordArguments = Piece(kind: .keywordArguments)

        /// An id of nine letters and digits.
        public static let id = Piece(kind: .id)

        /// Pieces that a model may leave out; prompts show them not.
        public static func optional(_ pieces: [Piece]) -> Piece { Piece(kind: .optional(pieces)) }
    }

    /// How several calls stand together; more ways may be added.
    public struct Grouping: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case alone, tagged
            case list(opening: [Piece], closing: String)
        }

        package let kind: Kind

        /// A reply makes one call.
        public static let alone = Grouping(kind: .alone)

        /// Each call has tags of its own.
        public static let tagged = Grouping(kind: .tagged)

        /// The calls stand in one list with commas between them.
        public static func list(opening: [Piece], closing: String) -> Grouping {
            Grouping(kind: .list(opening: opening, closing: closing))
        }
    }

    /// One call.
    public var call: [Piece]
    /// How several stand together.
    public var grouping: Grouping

    /// Creates a notation; a name and then arguments must be among the pieces, each once.
    public init(_ call: [Piece], grouping: Grouping = .tagged) {
        self.call = call
        self.grouping = grouping
    }

    /// A call in JSON: `{"name": "get_weather", "arguments": {"city": "Bern"}}`.
    ///
    /// - Parameters:
    ///   - argumentsKey: the name of the arguments' member.
    ///   - ending: what follows the arguments.
    ///   - grouping: how several calls stand together.
    /// - Returns: the notation.
    public static func json(
        argumentsKey: String = "arguments", ending: [Piece] = [], grouping: Grouping = .tagged
    ) -> FunctionCallNotation {
        FunctionCallNotation(
            [
                .text("{"), .gap(""), .text("\"name\":"), .space(" "), .quotedName, .text(","), .gap(" "),
                .text(JSONValue.string(argumentsKey).text() + ":"), .space(" "), .arguments,
            ] + ending + [.gap(""), .text("}")],
            grouping: grouping)
    }

    /// Calls in Python: `[get_weather(city="Bern"), get_time()]`.
    public static let pythonic = FunctionCallNotation(
        [.name, .keywordArguments], grouping: .list(opening: [.text("[")], closing: "]"))

    /// The tags within calls.
    package var tags: [String] { Self.tags(in: call) }

    private static func tags(in pieces: [Piece]) -> [String] {
        pieces.flatMap { piece -> [String] in
            switch piece.kind {
            case .tag(let text): [text]
            case .optional(let pieces): tags(in: pieces)
            default: []
            }
        }
    }

    /// Whether functions of that name can be called.
    package func canWrite(_ name: String) -> Bool {
        call.contains(Piece.quotedName) || LiteralReader.isPlainName(name)
    }
}

// MARK: Spelling

extension FunctionCallNotation {
    /// Calls as a prompt shows them, each text to be put between tags.
    func spell(_ calls: [(name: String, arguments: JSONObject)]) -> [String] {
        let texts = calls.map { call in Self.spell(self.call, call.name, call.arguments) }
        guard case .list(let opening, let closing) = grouping.kind else { return texts }
        return [Self.spell(opening, "", [:]) + texts.joined(separator: ", ") + closing]
    }

    private static func spell(_ pieces: [Piece], _ name: String, _ arguments: JSONObject) -> String {
        pieces.map { piece in
            switch piece.kind {
            case .text(let text), .tag(let text), .gap(let text), .space(let text): text
            case .name(let isQuoted): isQuoted ? JSONValue.string(name).text() : name
            case .arguments: JSONValue.object(arguments).text(.python)
            case .keywordArguments: PythonLiteral.arguments(arguments)
            case .id, .optional: ""
            }
        }.joined()
    }

    /// An example of a call.
    var example: [String] {
        spell([(call.contains(Piece.quotedName) ? "…" : "name", ["parameter": "value"])])
    }
}
