// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a file is, by its content: names and types that others state are not looked at.
package enum FileKind: String, Hashable, Sendable, CaseIterable {
    case jpeg, png, pdf, html, text

    /// The kind of a file; nil for one that neither is an image that models see nor has a text.
    package init?(_ content: Data) {
        if content.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
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

    /// Whether a text says at its beginning that it is a page of the web.
    private static func isPage(_ content: Data) -> Bool {
        let start = String(decoding: content.prefix(256), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return ["<!doctype html", "<html"].contains { start.lowercased().hasPrefix($0) }
    }
}
