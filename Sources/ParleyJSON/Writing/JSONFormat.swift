// SPDX-License-Identifier: Apache-2.0

/// How a value is written.
public struct JSONFormat: Hashable, Sendable {
    /// The text between elements and between members.
    public var itemSeparator: String
    /// The text between a member's name and its value.
    public var keySeparator: String
    /// The indentation of one level of nesting; nil writes everything on one line.
    public var indentation: String?
    /// Whether characters beyond ASCII are written as escapes.
    public var escapesNonASCII: Bool
    /// Whether members are written in the order of their names (by code points) rather than their own.
    public var sortsKeys: Bool

    /// Makes a format; the defaults write the fewest characters.
    public init(
        itemSeparator: String = ",", keySeparator: String = ":", indentation: String? = nil,
        escapesNonASCII: Bool = false, sortsKeys: Bool = false
    ) {
        self.itemSeparator = itemSeparator
        self.keySeparator = keySeparator
        self.indentation = indentation
        self.escapesNonASCII = escapesNonASCII
        self.sortsKeys = sortsKeys
    }

    /// One line without spaces: `{"a":1,"b":[2,3]}`.
    public static let compact = JSONFormat()
    /// One line as Python's `json.dumps` writes it: `{"a": 1, "b": [2, 3]}`.
    public static let python = JSONFormat(itemSeparator: ", ", keySeparator: ": ")
    /// A line for each element and member, indented by two spaces.
    public static let pretty = JSONFormat(keySeparator: ": ", indentation: "  ")
}
