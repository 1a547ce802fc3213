// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON

/// A step that changes text before it is split: a normaliser of the `tokenizers` library.
package enum TextNormalizer: Sendable, Hashable {
    /// One of Unicode's normalisation forms.
    package enum Form: Sendable, Hashable { case nfc, nfd, nfkc, nfkd }

    case unicode(Form)
    case lowercase
    /// Marks are left out; accents are marks only in a decomposed text.
    case stripAccents
    case strip(left: Bool, right: Bool)
    case prepend(String)
    case replace(SplitPattern, String)
    /// GPT-2's printable alphabet for bytes.
    case bytes
    case bert(cleans: Bool, separatesIdeographs: Bool, stripsAccents: Bool, lowercases: Bool)

    /// The text after this step; nil if it has more than `limit` characters.
    func apply(to text: [Unicode.Scalar], upTo limit: Int) -> [Unicode.Scalar]? {
        let result: [Unicode.Scalar]
        switch self {
        case .unicode(let form): result = Self.normalized(text, form)
        case .lowercase: result = Self.lowercased(text)
        case .stripAccents:
            result = text.filter { !ScalarSet.isIn("M", $0.properties.generalCategory) }
        case .strip(let left, let right):
            var rest = text[...]
            while left, let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
            while right, let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
            result = Array(rest)
        case .prepend(let prefix): result = text.isEmpty ? text : Array(prefix.unicodeScalars) + text
        case .replace(let pattern, let replacement):
            let replacement = Array(replacement.unicodeScalars)
            var changed: [Unicode.Scalar] = []
            var start = 0
            for match in pattern.matches(in: text[...]) {
                changed += text[start..<match.lowerBound] + replacement
                guard changed.count <= limit else { return nil }
                start = match.upperBound
            }
            result = changed + text[start...]
        case .bytes: result = Self.printable(text)
        case .bert(let cleans, let separatesIdeographs, let stripsAccents, let lowercases):
            var text = text
            if cleans { text = Self.cleaned(text) }
            if separatesIdeographs {
                text = text.flatMap { Self.isIdeograph($0.value) ? [" ", $0, " "] : [$0] }
            }
            if stripsAccents {
                text = Self.normalized(text, .nfd).filter { $0.properties.generalCategory != .nonspacingMark }
            }
            result = lowercases ? Self.lowercased(text) : text
        }
        return result.count <= limit ? result : nil
    }

    /// The bytes of a text in GPT-2's printable alphabet.
    static func printable(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var spelling: [UInt8] = []
        for scalar in text {
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                ByteAlphabet.append(byte, to: &spelling)
            }
        }
        return Array(String(decoding: spelling, as: UTF8.self).unicodeScalars)
    }

    private static func normalized(_ text: [Unicode.Scalar], _ form: Form) -> [Unicode.Scalar] {
        // ASCII is normalised in every form.
        guard text.contains(where: { !$0.isASCII }) else { return text }
        return MarkRuns.parts(of: text).flatMap { part in
            let string = String(String.UnicodeScalarView(part))
            let result =
                switch form {
                case .nfc: string.precomposedStringWithCanonicalMapping
                case .nfd: string.decomposedStringWithCanonicalMapping
                case .nfkc: string.precomposedStringWithCompatibilityMapping
                case .nfkd: string.decomposedStringWithCompatibilityMapping
                }
            return Array(result.unicodeScalars)
        }
    }

    /// Each character for itself, without regard to where in a word it stands.
    private static func lowercased(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        text.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
    }

    private static func cleaned(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        text.compactMap { scalar in
            switch scalar.properties.generalCategory {
            // Of the control characters only these count as white space; characters without a meaning stay.
            case .control: return ["\t", "\n", "\r"].contains(scalar) ? " " : nil
            case .format, .privateUse: return nil
            default: return scalar.properties.isWhitespace ? " " : scalar.value == 0xFFFD ? nil : scalar
            }
        }
    }

    private static func isIdeograph(_ value: UInt32) -> Bool {
        switch value {
        case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B73F, 0x2B740...0x2B81F,
            0x2B920...0x2CEAF, 0xF900...0xFAFF, 0x2F800...0x2FA1F:
            true
        default: false
        }
    }
}
