// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyMarkdown

/// The form of blocks of text as the page reads them: typed values, of which none is HTML.
///
/// Only here it is decided what may be a link: addresses of http, https and mailto. All others are their text.
enum BlockForm {
    static func json(_ blocks: some Sequence<MarkdownBlock>) -> JSONValue { .array(blocks.map(json)) }

    static func json(_ block: MarkdownBlock) -> JSONValue {
        var members: JSONObject = ["id": .integer(block.id)]
        switch block.kind {
        case .paragraph(let inlines): (members["kind"], members["inlines"]) = ("paragraph", json(inlines))
        case .heading(let level, let inlines):
            (members["kind"], members["level"], members["inlines"]) = ("heading", .integer(level), json(inlines))
        case .code(let info, let text):
            (members["kind"], members["info"], members["text"]) = ("code", .string(info), .string(text))
        case .formula(let text): (members["kind"], members["text"]) = ("formula", .string(text))
        case .quote(let blocks): (members["kind"], members["blocks"]) = ("quote", json(blocks))
        case .list(let list):
            members["kind"] = "list"
            members["start"] = list.start.map { .integer($0) } ?? .null
            members["tight"] = .bool(list.isTight)
            members["items"] = .array(
                list.items.map { ["done": $0.isDone.map { .bool($0) } ?? .null, "blocks": json($0.blocks)] })
        case .table(let table):
            members["kind"] = "table"
            members["align"] = .array(table.alignments.map { $0.map { .string($0.rawValue) } ?? .null })
            members["header"] = .array(table.header.map(json))
            members["rows"] = .array(table.rows.map { .array($0.map(json)) })
        case .thematicBreak: members["kind"] = "rule"
        case .html(let text): (members["kind"], members["text"]) = ("html", .string(text))
        }
        return .object(members)
    }

    static func json(_ inlines: [MarkdownInline]) -> JSONValue { .array(inlines.flatMap { values($0) }) }

    private static func values(_ inline: MarkdownInline, isInLink: Bool = false) -> [JSONValue] {
        func inner(_ parts: [MarkdownInline]) -> JSONValue {
            .array(parts.flatMap { values($0, isInLink: isInLink) })
        }
        return switch inline {
        case .text(let text): [["kind": "text", "text": .string(text)]]
        case .code(let text): [["kind": "code", "text": .string(text)]]
        case .html(let text): [["kind": "html", "text": .string(text)]]
        case .formula(let text, let isDisplayed):
            [["kind": "formula", "text": .string(text), "displayed": .bool(isDisplayed)]]
        case .emphasis(let parts): [["kind": "emphasis", "inlines": inner(parts)]]
        case .strong(let parts): [["kind": "strong", "inlines": inner(parts)]]
        case .strikethrough(let parts): [["kind": "strikethrough", "inlines": inner(parts)]]
        case .link(let address, let title, let parts): link(address, title, parts)
        // Within a link an image is its description, for links do not lie within each other.
        case .image(let address, let title, let parts):
            [isInLink ? text(parts.plainText) : image(address, title, parts.plainText)]
        case .softBreak: [["kind": "softbreak"]]
        case .lineBreak: [["kind": "break"]]
        }
    }

    private static func text(_ text: String) -> JSONValue { ["kind": "text", "text": .string(text)] }

    private static func link(_ address: String, _ title: String?, _ parts: [MarkdownInline]) -> [JSONValue] {
        guard let target = LinkTarget(address) else { return parts.flatMap { values($0) } }
        let name = parts.plainText
        // A link around an image without a description would have no name.
        guard !name.allSatisfy(\.isWhitespace) else { return [image(address, title, "", kind: "link")] }
        return [json("link", target, title, parts.flatMap { values($0, isInLink: true) }, named: name)]
    }

    /// An image is a link to it, which says what it shows.
    private static func image(
        _ address: String, _ title: String?, _ words: String, kind: String = "image"
    ) -> JSONValue {
        guard let target = LinkTarget(address) else { return text(words) }
        return json(kind, target, title, [text(words.isEmpty ? target.address : words)], named: words)
    }

    private static func json(
        _ kind: String, _ target: LinkTarget, _ title: String?, _ inlines: [JSONValue], named name: String
    ) -> JSONValue {
        [
            "kind": .string(kind), "url": .string(target.address), "title": title.map { .string($0) } ?? .null,
            "inlines": .array(inlines), "host": name.isEmpty || target.isNamed(by: name) ? .null : .string(target.host),
        ]
    }
}

/// An address that the page may make a link of.
struct LinkTarget: Hashable, Sendable {
    /// The address, with escapes where an address needs them.
    let address: String
    /// Whom it leads to, for people who read: the host, or who receives a letter.
    let host: String

    /// Reads an address of http, https or mailto; nil for another one.
    init?(_ text: String) {
        guard text.utf8.count <= 4_096, let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            return nil
        }
        switch scheme {
        case "http", "https":
            guard let host = url.host(percentEncoded: true), !host.isEmpty else { return nil }
            self.host = host
        case "mailto": host = String(url.absoluteString.dropFirst(7).prefix { $0 != "?" })
        default: return nil
        }
        address = url.absoluteString
    }

    /// Whether a text that leads here says so itself, so that nobody is misled.
    func isNamed(by text: String) -> Bool {
        let text = text.lowercased()
        let bare = host.lowercased()
        let named = bare.hasPrefix("www.") ? String(bare.dropFirst(4)) : bare
        return ["", "http://", "https://", "mailto:"].contains { start in
            [bare, named].contains { host in
                let whole = start + host
                return text == whole || ["/", "?", "#"].contains { text.hasPrefix(whole + $0) }
            }
        }
    }
}
