// SPDX-License-Identifier: Apache-2.0

/// A piece of the text of a paragraph, a heading or a cell.
public indirect enum MarkdownInline: Hashable, Sendable {
    /// Plain text.
    case text(String)
    /// Code, as it stands.
    case code(String)
    /// A formula in TeX's notation, without the marks around it, as it stands; those between `\[` and `\]` or between
    /// `$$` are displayed on lines of their own.
    case formula(String, isDisplayed: Bool)
    /// Emphasised text.
    case emphasis([MarkdownInline])
    /// Strongly emphasised text.
    case strong([MarkdownInline])
    /// Text that is struck through.
    case strikethrough([MarkdownInline])
    /// A link. Its address is as written, without escapes: whoever follows it has to look at its scheme.
    case link(destination: String, title: String?, [MarkdownInline])
    /// An image, with the text that stands for it.
    case image(source: String, title: String?, [MarkdownInline])
    /// A tag of HTML, which is text as long as nobody takes it for more.
    case html(String)
    /// The end of a line that is no more than a space.
    case softBreak
    /// The end of a line.
    case lineBreak
}

extension [MarkdownInline] {
    /// The text alone, without marks.
    public var plainText: String {
        var text = ""
        for inline in self {
            switch inline {
            case .text(let part), .code(let part), .html(let part), .formula(let part, _): text += part
            case .emphasis(let parts), .strong(let parts), .strikethrough(let parts): text += parts.plainText
            case .link(_, _, let parts), .image(_, _, let parts): text += parts.plainText
            case .softBreak: text += " "
            case .lineBreak: text += "\n"
            }
        }
        return text
    }
}
