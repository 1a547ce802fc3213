// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyHTTP
import ParleySystem

/// Turns HTML into Markdown: headings, paragraphs, lists, links, tables, quotes and code. What is no text of the page
/// (scripts, styles, navigation, what is hidden from its readers) is left out.
package struct HTMLMarkdown {
    /// A page as text.
    package struct Page: Hashable, Sendable {
        /// The title.
        package var title = ""
        /// The text.
        package var text = ""
        /// Whether the page has more.
        package var isCut = false
    }

    /// Converts a page in time that grows with its length.
    ///
    /// - Parameters:
    ///   - html: the page.
    ///   - base: the address that its links are relative to.
    ///   - limit: the largest number of characters of its text.
    /// - Returns: the page as text.
    package static func convert(_ html: String, base: URL?, limit: Int) -> Page {
        var converter = HTMLMarkdown(base: base, limit: limit)
        var tokens = HTMLTokenizer(html)
        while let token = tokens.next(), !converter.isFull { converter.take(token) }
        return converter.finish()
    }

    private struct Element {
        var name: String
        /// Whether its content is left out.
        var isSkipped: Bool
        /// What a list numbers its next item with; nil for one without numbers.
        var number: Int?
    }

    private let base: URL?
    private let limit: Int
    private var writer = MarkdownWriter()
    private var open: [Element] = []
    private var skipped = 0
    private var title = ""
    private var heading = ""

    private static let skippedElements: Set = [
        "script", "style", "template", "noscript", "nav", "svg", "canvas", "iframe", "object", "audio", "video",
        "button", "select", "textarea", "dialog", "noembed", "noframes", "footer",
    ]
    private static let emptyElements: Set = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    ]
    private static let blocks: Set = [
        "address", "article", "aside", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
        "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre",
        "section", "summary", "table", "tbody", "thead", "tfoot", "tr", "ul", "blockquote", "caption", "option",
    ]
    private static let deepest = 256

    private init(base: URL?, limit: Int) { (self.base, self.limit) = (base, max(limit, 0)) }

    private var isFull: Bool { writer.bytes > 4 * limit + 1_000 }

    private mutating func finish() -> Page {
        let isFull = isFull
        let text = writer.finish()
        let cut = text.cut(to: limit)
        var page = Page(text: cut, isCut: isFull || cut.utf8.count < text.utf8.count)
        let name = title.isEmpty ? heading : title
        page.title = PlainText.line(name, upTo: 200)
        return page
    }

    private mutating func take(_ token: HTMLTokenizer.Token) {
        switch token {
        case .text(let text):
            if open.last?.name == "title" {
                if title.isEmpty, skipped == 0 { title = text.cut(to: 1_000) }
            } else if skipped == 0, open.last?.name != "head" {
                writer.text(text)
                if open.last?.name == "h1", heading.utf8.count < 1_000 { heading += text.cut(to: 1_000) }
            }
        case .start(let name, let attributes, let isClosed): start(name, attributes, isClosed: isClosed)
        case .end(let name): end(name)
        }
    }

    // MARK: Elements

    private mutating func start(_ name: String, _ attributes: [String: String], isClosed: Bool) {
        closeImplied(by: name)
        if Self.emptyElements.contains(name) {
            if skipped == 0 { empty(name, attributes) }
            return
        }
        // An unclosed menu must not take the page with it.
        if name == "main" || name == "article", let menu = open.last(where: \.isSkipped),
            menu.name == "nav" || menu.name == "footer"
        {
            while skipped > 0, pop() {}
        }
        // Only elements of SVG and MathML close themselves.
        if isClosed, skipped > 0 || name == "svg" { return }
        let isSkipped = Self.skippedElements.contains(name) || Self.isHidden(attributes)
        if open.count >= Self.deepest { return }
        open.append(Element(name: name, isSkipped: isSkipped, number: nil))
        if isSkipped { skipped += 1 }
        guard skipped == 0 else { return }
        if Self.blocks.contains(name) { writer.endBlock() }
        switch name {
        case "h1", "h2", "h3", "h4", "h5", "h6": writer.beginHeading(Int(name.dropFirst()) ?? 1)
        case "ul", "menu": writer.beginList()
        case "ol":
            open[open.count - 1].number = attributes["start"].flatMap { Int($0) }.map { min(max($0, 0), 99_999) } ?? 1
            writer.beginList()
        case "li": writer.beginItem(marker())
        case "blockquote": writer.beginQuote()
        case "pre": writer.beginCode()
        case "code", "kbd", "samp", "tt": writer.toggleInlineCode()
        case "a": writer.beginLink(attributes["href"].flatMap(address))
        case "table": writer.beginTable()
        case "tr": writer.beginRow()
        case "td", "th": writer.beginCell()
        case "dd": writer.text(": ")
        default: break
        }
    }

    private mutating func empty(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "br": writer.lineBreak()
        case "hr": writer.rule()
        case "img":
            let alt = attributes["alt"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            if !alt.isEmpty { writer.text("[image: \(alt.cut(to: 200))]") }
        case "wbr": break
        default: break
        }
    }

    private mutating func end(_ name: String) {
        if name == "br" { return writer.lineBreak() }
        // An end tag whose element is not among the innermost ones closes nothing.
        guard let index = open.suffix(64).lastIndex(where: { $0.name == name }) else { return }
        while open.count > index, pop() {}
    }

    /// Ends the innermost element; false if there is none.
    @discardableResult
    private mutating func pop() -> Bool {
        guard let element = open.popLast() else { return false }
        if element.isSkipped {
            skipped -= 1
            return true
        }
        guard skipped == 0 else { return true }
        switch element.name {
        case "ul", "ol", "menu": writer.endList()
        case "li": writer.endItem()
        case "blockquote": writer.endQuote()
        case "pre": writer.endCode()
        case "code", "kbd", "samp", "tt": writer.toggleInlineCode()
        case "a": writer.endLink()
        case "table": writer.endTable()
        case "td", "th": writer.endCell()
        default: if Self.blocks.contains(element.name) { writer.endBlock() }
        }
        return true
    }

    /// Ends what the beginning of an element ends by itself.
    private mutating func closeImplied(by name: String) {
        let closing: Set<String>
        let border: Set<String>
        switch name {
        case "li": (closing, border) = (["li"], ["ul", "ol", "menu"])
        case "td", "th": (closing, border) = (["td", "th"], ["table", "tr"])
        case "tr": (closing, border) = (["tr"], ["table"])
        case "dd", "dt": (closing, border) = (["dd", "dt"], ["dl"])
        case "option": (closing, border) = (["option"], ["select"])
        case "a": (closing, border) = (["a"], ["table", "li"])
        case "body": (closing, border) = (["head", "title"], [])
        case let block where Self.blocks.contains(block): (closing, border) = (["p"], ["li", "td", "div", "table"])
        default: return
        }
        for index in open.indices.suffix(32).reversed() {
            if border.contains(open[index].name) { return }
            if closing.contains(open[index].name) {
                while open.count > index, pop() {}
                return
            }
        }
    }

    private mutating func marker() -> String {
        guard let index = open.suffix(32).lastIndex(where: { ["ul", "ol", "menu"].contains($0.name) }),
            let number = open[index].number
        else { return "- " }
        open[index].number = number + 1
        return "\(number). "
    }

    private static func isHidden(_ attributes: [String: String]) -> Bool {
        if attributes.isEmpty { return false }
        if attributes["hidden"] != nil || attributes["aria-hidden"]?.lowercased() == "true" { return true }
        guard let style = attributes["style"]?.lowercased().filter({ !$0.isWhitespace }) else { return false }
        return style.contains("display:none") || style.contains("visibility:hidden") || hasNoSize(style)
    }

    /// Whether a style without spaces gives letters the size zero, of whatever unit; `0.9em` is a size.
    private static func hasNoSize(_ style: String) -> Bool {
        guard let name = style.firstRange(of: "font-size:") else { return false }
        return Double(style[name.upperBound...].prefix { $0.isNumber || $0 == "." }) == 0
    }

    /// The address of a link; nil for one that is none of the web.
    private func address(_ href: String) -> String? {
        let href = href.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !href.isEmpty, !href.hasPrefix("#"), href.utf8.count <= 1_000,
            let url = URL(string: href, relativeTo: base)?.absoluteURL, url.isOfWeb
        else { return nil }
        return url.absoluteString.replacing(" ", with: "%20").replacing("(", with: "%28").replacing(")", with: "%29")
    }
}
