// SPDX-License-Identifier: Apache-2.0

package import ParleyMarkdown

/// Draws Markdown in lines for a terminal. Without colours the signs remain that show what is what.
package struct MarkdownLines: Sendable {
    /// The columns of the terminal.
    private let columns: Int
    private let style: TextStyle

    /// Draws for a terminal of so many columns.
    package init(columns: Int, style: TextStyle) { (self.columns, self.style) = (max(columns, 8), style) }

    /// The lines of some blocks, with an empty one between two.
    package func lines(of blocks: some Sequence<MarkdownBlock>) -> [String] {
        styled(blocks, columns: columns, isTight: false).map { $0.text(style) }
    }

    private func styled(
        _ blocks: some Sequence<MarkdownBlock>, columns: Int, isTight: Bool
    ) -> [StyledText] {
        var lines: [StyledText] = []
        for (index, block) in blocks.enumerated() {
            if index > 0, !isTight { lines.append(StyledText()) }
            lines += styled(block, columns: columns)
        }
        return lines
    }

    private func styled(_ block: MarkdownBlock, columns: Int) -> [StyledText] {
        switch block.kind {
        case .paragraph(let inlines): return Self.text(of: inlines).wrapped(columns: columns)
        case .heading(let level, let inlines):
            var text = StyledText(String(repeating: "#", count: level) + " ", .dim)
            text.append(Self.text(of: inlines, .bold))
            return text.wrapped(columns: columns)
        case .code(let info, let code): return Self.lines(of: code, between: "```", info)
        case .formula(let formula): return Self.lines(of: formula, between: "$$")
        case .quote(let blocks):
            return Self.indented(styled(blocks, columns: columns - 2, isTight: false), by: StyledText("│ ", .dim))
        case .list(let list): return styled(list, columns: columns)
        case .table(let table): return MarkdownTableLines(table: table).lines(columns: columns)
        case .thematicBreak: return [StyledText(String(repeating: "─", count: min(columns, 40)), .dim)]
        case .html(let text): return StyledText(text, .dim).wrapped(columns: columns)
        }
    }

    private func styled(_ list: MarkdownList, columns: Int) -> [StyledText] {
        var lines: [StyledText] = []
        let last = (list.start ?? 0) + list.items.count - 1
        for (index, item) in list.items.enumerated() {
            if index > 0, !list.isTight { lines.append(StyledText()) }
            var sign = "• "
            if let start = list.start {
                let number = "\(start + index). "
                sign = String(repeating: " ", count: max("\(last). ".count - number.count, 0)) + number
            }
            var mark = StyledText(sign, .accent)
            if let isDone = item.isDone { mark.append(isDone ? "[x] " : "[ ] ", .accent) }
            let inner = styled(item.blocks, columns: max(columns - mark.width, 8), isTight: list.isTight)
            let rest = StyledText(String(repeating: " ", count: mark.width))
            lines += Self.indented(inner.isEmpty ? [StyledText()] : inner, by: rest, first: mark)
        }
        return lines
    }

    private static func indented(
        _ lines: [StyledText], by indent: StyledText, first: StyledText? = nil
    ) -> [StyledText] {
        lines.enumerated().map { index, line in
            var text = index == 0 ? first ?? indent : indent
            text.append(line)
            return text
        }
    }

    /// Code and formulas are not wrapped, so that they can be copied as they are.
    private static func lines(of code: String, between fence: String, _ info: String = "") -> [StyledText] {
        let language = info.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        var lines = [StyledText(fence + language, .dim)]
        var rows = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if rows.last == "" { rows.removeLast() }
        lines += rows.map { StyledText($0, .accent) }
        return lines + [StyledText(fence, .dim)]
    }

    // MARK: Inlines

    /// The text of inlines in one look, with the addresses of links that do not say them.
    static func text(of inlines: [MarkdownInline], _ look: TextStyle.Look = []) -> StyledText {
        var text = StyledText()
        for inline in inlines {
            switch inline {
            case .text(let part): text.append(part, look)
            case .code(let part): text.append("`\(part)`", look.union(.accent))
            case .formula(let part, let isDisplayed):
                let mark = isDisplayed ? "$$" : "$"
                text.append(mark + part + mark, look.union(.accent))
            case .html(let part): text.append(part, look.union(.dim))
            case .emphasis(let parts): text.append(Self.text(of: parts, look.union(.italic)))
            case .strong(let parts): text.append(Self.text(of: parts, look.union(.bold)))
            case .strikethrough(let parts): text.append(Self.text(of: parts, look.union(.struck)))
            case .link(let address, _, let parts):
                text.append(Self.text(of: parts, look.union(.underlined)))
                text.append(Self.address(address, saidBy: parts.plainText), look.union(.dim))
            case .image(let address, _, let parts):
                text.append("[\(parts.plainText)]", look)
                text.append(" (\(address))", look.union(.dim))
            case .softBreak: text.append(" ", look)
            case .lineBreak: text.append("\n", look)
            }
        }
        return text
    }

    private static func address(_ address: String, saidBy text: String) -> String {
        let isSaid = ["", "mailto:", "http://", "https://"].contains { address == $0 + text }
        return isSaid ? "" : " (\(address))"
    }
}
