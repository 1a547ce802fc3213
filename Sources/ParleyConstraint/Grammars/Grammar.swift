// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// The form of a reply, composed of texts, patterns and schemas.
///
/// ```swift
/// let answer = Grammar.sequence([.literal("Answer: "), .choice([.literal("yes"), .literal("no")])])
/// ```
public struct Grammar: Sendable, Hashable {
    indirect enum Form: Sendable, Hashable {
        case literal(ExactText)
        case marker(ExactText)
        case pattern(ExactText)
        case schema(JSONValue, ValueNotation, JSONKinds, closesObjects: Bool)
        case sequence([Grammar])
        case choice([Grammar])
        case repetition(Grammar, separator: Grammar?, minimum: Int, maximum: Int?)
    }

    let form: Form

    private init(_ form: Form) { self.form = form }

    /// Exactly this text.
    public static func literal(_ text: String) -> Grammar { Grammar(.literal(ExactText(text))) }

    /// A tag such as `</tool_call>`: the control token with that spelling if the vocabulary has one, otherwise its
    /// text.
    public static func marker(_ text: String) -> Grammar { Grammar(.marker(ExactText(text))) }

    /// A text that as a whole matches a regular expression (ECMA-262, without look-around and back-references).
    public static func pattern(_ text: String) -> Grammar { Grammar(.pattern(ExactText(text))) }

    /// A JSON value that satisfies a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema, which is read when the grammar is compiled.
    ///   - closesObjects: Whether objects that declare properties without mentioning others have no others. JSON Schema
    ///     allows them, but a small model may invent properties without end.
    /// - Returns: The grammar of such a value.
    public static func schema(_ schema: JSONValue, closesObjects: Bool = false) -> Grammar {
        Grammar(.schema(schema, .json, .all, closesObjects: closesObjects))
    }

    /// A JSON object that satisfies a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema, which is read when the grammar is compiled.
    ///   - closesObjects: As for ``schema(_:closesObjects:)``.
    /// - Returns: The grammar of such an object.
    public static func object(_ schema: JSONValue, closesObjects: Bool = false) -> Grammar {
        Grammar(.schema(schema, .json, .object, closesObjects: closesObjects))
    }

    /// An object that satisfies a schema, as Python writes the arguments of a call: `(city="Paris", days=3)`.
    ///
    /// Objects inside it are dictionaries, `{"city": "Paris"}`; where a parameter's name is no Python name, so are the
    /// arguments: `(**{"the city": "Paris"})`. Objects have only the properties that the schema declares, unless it
    /// says otherwise.
    public static func keywordArguments(_ schema: JSONValue) -> Grammar {
        Grammar(.schema(schema, .keywordArguments, .object, closesObjects: true))
    }

    /// An object that satisfies a schema, as the arguments of a call between tags:
    ///
    /// ```
    /// >
    /// <parameter=city>
    /// Paris
    /// </parameter>
    /// </function>
    /// ```
    ///
    /// It begins with the end of the function's own tag, `<function=get_weather>`. A value that can only be a string is
    /// written as it is, up to the first `</parameter>` on a new line. Other values are JSON; where strings and other
    /// values are allowed, strings may also be written as they are unless they look like JSON. Only declared properties
    /// can be written, and of their objects only those, unless the schema says otherwise.
    public static func taggedArguments(_ schema: JSONValue) -> Grammar {
        Grammar(.schema(schema, .taggedArguments, .object, closesObjects: true))
    }

    /// An object that satisfies a schema, with the mark `<|"|>` around strings, which are written as they are, and with
    /// bare names: `{city:<|"|>Paris<|"|>,days:3}`.
    ///
    /// The mark is the control token with that spelling if the vocabulary has one. Names that are no words are written
    /// in quotes. Objects have only the properties that the schema declares, unless it says otherwise.
    public static func markedObject(_ schema: JSONValue) -> Grammar {
        Grammar(.schema(schema, .marked, .object, closesObjects: true))
    }

    /// White space that a writer may leave between the parts of a value: none, a space, or a line break with its
    /// indentation.
    public static let gap = Grammar.pattern(ProgramBuilder.whitespace)

    /// Several grammars, one after the other.
    public static func sequence(_ parts: [Grammar]) -> Grammar { Grammar(.sequence(parts)) }

    /// Any one of several grammars.
    public static func choice(_ alternatives: [Grammar]) -> Grammar { Grammar(.choice(alternatives)) }

    /// A grammar once or not at all.
    public static func optional(_ part: Grammar) -> Grammar { .choice([part, .sequence([])]) }

    /// A grammar repeated, each time with at least one byte.
    public static func repetition(
        _ part: Grammar, separator: Grammar? = nil, minimum: Int = 0, maximum: Int? = nil
    ) -> Grammar {
        Grammar(.repetition(part, separator: separator, minimum: minimum, maximum: maximum))
    }
}
