// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// Stop strings, which may contain the names of control tokens.
///
/// Control tokens have no text, so a search in the text of a reply would miss them. If a stop string contains the name
/// of one, the token is inserted into the text as a mark, made of characters that occur in no text, and the search is
/// also done with these marks. The marks are removed from the text that is shown.
struct StopStrings: Sendable {
    /// The strings as given; strings with control tokens also occur with marks in place of the tokens.
    let strings: [String]
    private let named: Set<TokenID>
    /// The strings as given, by the strings with marks.
    private let given: [String: String]

    /// Prepares stop strings for the replies of a model.
    init(_ strings: [String], tokenizer: Tokenizer) {
        var named: Set<TokenID> = []
        let marked = strings.map { string in
            var (text, rest) = (String.UnicodeScalarView(), string.unicodeScalars[...])
            for token in tokenizer.encode(string, specialTokens: .parsed) where tokenizer.isControl(token) {
                guard let spelling = tokenizer.spelling(of: token), !spelling.isEmpty,
                    let range = rest.firstRange(of: spelling.unicodeScalars)
                else { continue }
                named.insert(token)
                text.append(contentsOf: rest[..<range.lowerBound])
                text.append(contentsOf: Self.mark(token))
                rest = rest[range.upperBound...]
            }
            text.append(contentsOf: rest)
            return String(text)
        }
        given = Dictionary(zip(marked, strings)) { first, _ in first }
        self.strings = strings + zip(strings, marked).filter { $0 != $1 }.map(\.1)
        self.named = named
    }

    /// The mark of a token in the searched text; nil for tokens that occur in no stop string.
    func mark(for token: TokenID) -> String? {
        named.contains(token) ? String(String.UnicodeScalarView(Self.mark(token))) : nil
    }

    /// The string as given, for one that was found.
    func given(for found: String) -> String { given[found] ?? found }

    /// The text without marks.
    func withoutMarks(_ text: String) -> String {
        guard !named.isEmpty, text.unicodeScalars.contains(where: Self.isInMark) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { !Self.isInMark($0) }))
    }

    /// Noncharacters, which Unicode reserves for internal use (Unicode 15.1, section 23.7).
    private static let values: ClosedRange<UInt32> = 0xFDD0...0xFDEF

    private static func isInMark(_ scalar: Unicode.Scalar) -> Bool { values.contains(scalar.value) }

    /// The mark of a token: the first noncharacter and then the digits of its id, so that no mark can overlap two
    /// others.
    private static func mark(_ token: TokenID) -> [Unicode.Scalar] {
        let digits = UInt32(values.count - 1)
        var (found, rest) = ([values.lowerBound], UInt32(bitPattern: token))
        for _ in 0..<7 {
            found.append(values.lowerBound + 1 + rest % digits)
            rest /= digits
        }
        return found.compactMap { Unicode.Scalar($0) }
    }
}
