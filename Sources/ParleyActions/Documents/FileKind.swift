// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyConversation

/// What a file is, by its content: names and types that others state are not looked at.
package enum FileKind: String, Hashable, Sendable, CaseIterable {
    case jpeg, png, pdf, html, text

    /// The kind of a file; nil for one that neither is an image that models see nor has a text.
    package init?(_ content: Data) {
        if let image = ImageKind(content) {
            self = image == .png ? .png : .jpeg
        } else if content.starts(with: Data("%PDF-".utf8)) {
            self = .pdf
        } else if !content.prefix(8_192).contains(0) || content.starts(with: [0xFF, 0xFE])
            || content.starts(with: [0xFE, 0xFF])
        {
            self = Self.isPage(content) ? .html : .text
        } else {
            return nil
        }
    }

    /// Whether it is an image that models see.
    package var isImage: Bool { self == .jpeg || self == .png }

    /// Whether a text says at its beginning that it is a page of the web: by the tags that only pages begin with.
    /// Markdown may begin with others, such as `<p align="center">`.
    private static func isPage(_ content: Data) -> Bool {
        let start = TextBytes.string(content.prefix(1_024), contentType: nil, isMarkup: false).lowercased()
        var rest = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        // Comments, and in XHTML the declaration of XML, may stand before the page.
        for (opening, closing) in [("<?xml", "?>")] + Array(repeating: ("<!--", "-->"), count: 4) {
            if rest.hasPrefix(opening), let end = rest.firstRange(of: closing) {
                rest = rest[end.upperBound...].drop(while: \.isWhitespace)
            }
        }
        return ["<!doctype html", "<html", "<head", "<body", "<title", "<meta"].contains { tag in
            // `<header>` and `<metadata>` are other tags.
            rest.hasPrefix(tag) && rest.dropFirst(tag.count).first.map { $0.isWhitespace || $0 == ">" } != false
        }
    }
}
