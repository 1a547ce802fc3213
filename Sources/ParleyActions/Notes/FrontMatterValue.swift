// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Yams

/// The value of an entry of the front matter, as far as Parley needs values: a text or a list of texts.
enum FrontMatterValue: Hashable {
    case text(String)
    case list([String], isFlow: Bool)
    case null

    /// The largest number of elements of a list that are read.
    private static let most = 500

    /// The value of a node; nil for mappings, and for lists of anything but texts.
    init?(_ node: Node) {
        switch node {
        case .scalar(let scalar):
            self = Self.isNull(scalar) ? .null : .text(scalar.string)
        case .sequence(let sequence):
            var texts: [String] = []
            for element in sequence.prefix(Self.most) {
                guard case .scalar(let scalar) = element else { return nil }
                if !Self.isNull(scalar) { texts.append(scalar.string) }
            }
            self = .list(texts, isFlow: sequence.style == .flow)
        default: return nil
        }
    }

    private static func isNull(_ scalar: Node.Scalar) -> Bool {
        scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// The text of a text.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The tags, without `#`: those of a list, or of a text with commas or spaces between them, as Obsidian has it.
    var tags: [String] {
        let texts: [Substring] =
            switch self {
            case .null: []
            case .list(let list, _): list.map { $0[...] }
            case .text(let text): text.split { text.contains(",") ? $0 == "," : $0.isWhitespace }
            }
        return texts.compactMap(Self.tag)
    }

    /// A tag without the `#` before it, and without the space that may follow that; nil if nothing is left.
    static func tag(_ text: some StringProtocol) -> String? {
        let tag = PlainText.line(PlainText.line(text).drop { $0 == "#" })
        return tag.isEmpty ? nil : tag
    }

    /// Whether Yams can read a text in bounded work: it composes nodes recursively, and compares keys with everything
    /// that aliases put into them, so deep nesting and anchors together with aliases are refused.
    static func isHarmless(_ text: String) -> Bool {
        let (deepest, deepestLine) = (16, 4)
        var (depth, dashes, anchors, aliases) = (0, 0, false, false)
        var previous: UInt8 = 10
        for (byte, next) in zip(text.utf8, Array(text.utf8.dropFirst()) + [10]) {
            defer { if byte != 32, byte != 9 { previous = byte } }
            if byte == 0 { return false }
            // Whether a token may begin here; within quotes this refuses a little too much.
            let begins = "\n[{,:-?".utf8.contains(previous)
            let isBlank = [32, 9, 10, 13].contains(next)
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > deepest { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
            case UInt8(ascii: "-"), UInt8(ascii: "?"):
                if isBlank { dashes += 1 }
                if dashes > deepestLine { return false }
            case 10: dashes = 0
            case UInt8(ascii: "&"): if begins, !isBlank { anchors = true }
            case UInt8(ascii: "*"): if begins, !isBlank { aliases = true }
            default: break
            }
        }
        return !(anchors && aliases)
    }

    // MARK: Writing

    /// A scalar for a text that every reader of YAML takes as this text: plain where that is certain, else quoted.
    static func scalar(_ text: String) -> String {
        if isPlain(text) { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\t": result += "\\t"
            case " "..."~", "\u{A0}"..."\u{2027}", "\u{202A}"..."\u{D7FF}", "\u{E000}"..."\u{FEFE}",
                "\u{FF00}"..."\u{FFFD}", "\u{10000}"...:
                result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            }
        }
        return result + "\""
    }

    private static func isPlain(_ text: String) -> Bool {
        let words: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"]
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic, !text.hasSuffix(" "),
            !words.contains(text.lowercased())
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789 -_./()'+".unicodeScalars.contains(scalar)
        }
    }
}
