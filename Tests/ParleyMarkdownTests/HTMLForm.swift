// SPDX-License-Identifier: Apache-2.0

import ParleyMarkdown

/// Writes blocks as the HTML of the reference parsers, to compare with it. Nothing else makes HTML of Markdown.
enum HTMLForm {
    static func text(_ blocks: [MarkdownBlock], isTight: Bool = false) -> String {
        blocks.map { text($0, isTight: isTight) }.joined()
    }

    private static func text(_ block: MarkdownBlock, isTight: Bool) -> String {
        switch block.kind {
        case .paragraph(let inlines): isTight ? text(inlines) : "<p>\(text(inlines))</p>\n"
        case .heading(let level, let inlines): "<h\(level)>\(text(inlines))</h\(level)>\n"
        case .code(let info, let code):
            "<pre><code\(language(info))>\(escaped(code))</code></pre>\n"
        case .formula(let formula): "<math>\(escaped(formula))</math>\n"
        case .quote(let blocks): "<blockquote>\n\(text(blocks))</blockquote>\n"
        case .list(let list): text(list)
        case .table(let table): text(table)
        case .thematicBreak: "<hr />\n"
        case .html(let html): html + "\n"
        }
    }

    private static func language(_ info: String) -> String {
        guard let name = info.split(whereSeparator: \.isWhitespace).first else { return "" }
        return " class=\"language-\(escaped(String(name)))\""
    }

    private static func text(_ list: MarkdownList) -> String {
        let name = list.start == nil ? "ul" : "ol"
        let start = list.start.flatMap { $0 == 1 ? nil : " start=\"\($0)\"" } ?? ""
        var result = "<\(name)\(start)>\n"
        for item in list.items {
            result += "<li>"
            if let isDone = item.isDone {
                result += "<input type=\"checkbox\" \(isDone ? "checked=\"\" " : "")disabled=\"\" /> "
            }
            for block in item.blocks {
                let isParagraph = if case .paragraph = block.kind { true } else { false }
                // As the reference writes it: each block on a line of its own but the text of a tight item.
                if !(isParagraph && list.isTight), !result.hasSuffix("\n") { result += "\n" }
                result += text(block, isTight: list.isTight)
            }
            result += "</li>\n"
        }
        return result + "</\(name)>\n"
    }

    private static func text(_ table: MarkdownTable) -> String {
        func row(_ cells: [[MarkdownInline]], _ name: String) -> String {
            let written = zip(cells, table.alignments).map { cell, alignment in
                let style = alignment.map { " align=\"\($0.rawValue)\"" } ?? ""
                return "<\(name)\(style)>\(text(cell))</\(name)>\n"
            }
            return "<tr>\n\(written.joined())</tr>\n"
        }
        var result = "<table>\n<thead>\n\(row(table.header, "th"))</thead>\n"
        if !table.rows.isEmpty {
            result += "<tbody>\n\(table.rows.map { row($0, "td") }.joined())</tbody>\n"
        }
        return result + "</table>\n"
    }

    static func text(_ inlines: [MarkdownInline]) -> String {
        inlines.map { inline in
            switch inline {
            case .text(let text): escaped(text)
            case .code(let text): "<code>\(escaped(text))</code>"
            case .formula(let text, let isDisplayed):
                isDisplayed ? "<math>\(escaped(text))</math>" : "<m>\(escaped(text))</m>"
            case .emphasis(let parts): "<em>\(text(parts))</em>"
            case .strong(let parts): "<strong>\(text(parts))</strong>"
            case .strikethrough(let parts): "<del>\(text(parts))</del>"
            case .link(let destination, let title, let parts):
                "<a href=\"\(address(destination))\"\(attribute(title))>\(text(parts))</a>"
            case .image(let source, let title, let parts):
                "<img src=\"\(address(source))\" alt=\"\(escaped(parts.plainText.replacing("\n", with: " ")))\"\(attribute(title)) />"
            case .html(let text): text
            case .softBreak: "\n"
            case .lineBreak: "<br />\n"
            }
        }.joined()
    }

    private static func attribute(_ title: String?) -> String {
        title.map { " title=\"\(escaped($0))\"" } ?? ""
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            default: String(scalar)
            }
        }.joined()
    }

    /// An address with what addresses cannot have as percent and digits, as the reference writes it.
    private static func address(_ text: String) -> String {
        let kept = Set("-_.+!*'(),%#@?=;:/,+&$~".utf8)
        return text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "&"): "&amp;"
            case UInt8(ascii: "'"): "&#x27;"
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(Unicode.Scalar(byte))
            case _ where kept.contains(byte): String(Unicode.Scalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
