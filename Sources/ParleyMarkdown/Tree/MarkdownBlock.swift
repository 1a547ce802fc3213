// SPDX-License-Identifier: Apache-2.0

/// A block of a document: a paragraph, a list, some code.
public struct MarkdownBlock: Hashable, Sendable {
    /// What a block is.
    public indirect enum Kind: Hashable, Sendable {
        /// Text.
        case paragraph([MarkdownInline])
        /// A heading of a level from 1 to 6.
        case heading(level: Int, [MarkdownInline])
        /// Code with the words behind its opening fence, of which the first is the language; empty without them.
        case code(info: String, String)
        /// A displayed formula in TeX's notation, without the marks around it, as it stands.
        case formula(String)
        /// A quotation.
        case quote([MarkdownBlock])
        /// A list.
        case list(MarkdownList)
        /// A table.
        case table(MarkdownTable)
        /// A line between two parts.
        case thematicBreak
        /// HTML, which is text as long as nobody takes it for more.
        case html(String)
    }

    /// Counts the blocks of a document, in the order in which they begin.
    public let id: Int
    /// What it is.
    public var kind: Kind

    init(id: Int, kind: Kind) { (self.id, self.kind) = (id, kind) }
}

/// A list with its items.
public struct MarkdownList: Hashable, Sendable {
    /// An item of a list.
    public struct Item: Hashable, Sendable {
        /// Whether the task of the item is done; nil if it is no task.
        public var isDone: Bool?
        /// What it contains.
        public var blocks: [MarkdownBlock]
    }

    /// The number of the first item; nil for a list without numbers.
    public var start: Int?
    /// Whether its paragraphs stand close together, as lines do.
    public var isTight: Bool
    /// The items.
    public var items: [Item]
}

/// A table: a header, and rows with as many cells.
public struct MarkdownTable: Hashable, Sendable {
    /// How a column is aligned.
    public enum Alignment: String, Hashable, Sendable, CaseIterable {
        /// At the left.
        case left
        /// In the middle.
        case center
        /// At the right.
        case right
    }

    /// How the columns are aligned; nil for those of which the table does not say it.
    public var alignments: [Alignment?]
    /// The cells of the header.
    public var header: [[MarkdownInline]]
    /// The cells of each row.
    public var rows: [[[MarkdownInline]]]
}
