// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decodes the bytes of pages, files and cards.
enum TextBytes {
    /// The text of bytes: by their byte order mark, the header's charset, the page's own word, else as UTF-8. What
    /// cannot be decoded becomes U+FFFD.
    static func string(_ data: Data, contentType: String?, isMarkup: Bool) -> String {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: data.dropFirst(3), as: UTF8.self) }
        if data.starts(with: [0xFE, 0xFF]) { return utf16(data.dropFirst(2), isBig: true) }
        if data.starts(with: [0xFF, 0xFE]) { return utf16(data.dropFirst(2), isBig: false) }
        let named = contentType.flatMap(charset) ?? (isMarkup ? metaCharset(data) : nil)
        return named.flatMap { string(data, charset: $0) } ?? String(decoding: data, as: UTF8.self)
    }

    /// The text of bytes in a charset with a name in lower case; nil for UTF-8, for a charset that is not known, and for
    /// bytes that are not in it.
    static func string(_ data: Data, charset: String) -> String? {
        switch charset {
        case "utf-16be": utf16(data, isBig: true)
        case "utf-16", "utf-16le": utf16(data, isBig: false)
        case "iso-8859-1", "latin1", "windows-1252", "cp1252", "us-ascii", "ascii": latin(data)
        default: encodings[charset].flatMap { String(data: data, encoding: $0) }
        }
    }

    private static let encodings: [String: String.Encoding] = [
        "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS, "euc-jp": .japaneseEUC,
        "iso-2022-jp": .iso2022JP, "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "iso-8859-2": .isoLatin2,
    ]

    /// The charset that a content type names, in lower case.
    private static func charset(_ contentType: String) -> String? {
        let text = contentType.prefix(1_000).lowercased()
        guard let range = text.firstRange(of: "charset=") else { return nil }
        let value = text[range.upperBound...].drop { $0 == "\"" || $0 == "'" || $0 == " " }
        let name = value.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        return name.isEmpty ? nil : String(name)
    }

    /// The charset that a page names in its first bytes.
    private static func metaCharset(_ data: Data) -> String? {
        let head = String(decoding: data.prefix(1_024).filter { $0 < 0x80 }, as: UTF8.self)
        // Such a page could not be read so far if it were in UTF-16.
        return charset(head).map { $0.hasPrefix("utf-16") ? "utf-8" : $0 }
    }

    private static func utf16(_ data: Data, isBig: Bool) -> String {
        let bytes = Array(data)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The text of bytes in Windows-1252, of which Latin-1 is a part.
    static func latin(_ data: Data) -> String {
        var result = String.UnicodeScalarView()
        for byte in data {
            if (0x80...0x9F).contains(byte) {
                result.append(contentsOf: windows1252[Int(byte - 0x80)].unicodeScalars)
            } else {
                result.append(Unicode.Scalar(byte))
            }
        }
        return String(result)
    }

    /// The characters of Windows-1252 from 128 to 159.
    static let windows1252 = [
        "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž", "\u{FFFD}",
        "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{FFFD}", "ž", "Ÿ",
    ]
}

extension String {
    /// The first characters, in time that does not grow with the rest.
    func cut(to limit: Int) -> String {
        // A character may have any number of code points; that of all characters together is bounded too.
        if utf8.count <= limit { return self }
        let bounded = unicodeScalars.prefix(limit * 4)
        return String(String(bounded).prefix(limit))
    }
}
