// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant

/// Compares contacts with the words of a query, without regard to case and accents.
struct ContactMatcher {
    /// How well a contact fits; a smaller rank is better.
    struct Rank: Comparable {
        /// The words of the query that were not found.
        var missing: Int
        /// The places where the others were found, added up: names before the organisation before numbers.
        var distance: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.missing, left.distance) < (right.missing, right.distance)
        }
    }

    /// The largest number of words of a query that count.
    private static let most = 12

    private let words: [String]
    /// The digits of a query that is a telephone number.
    private let number: String?

    /// Creates a matcher; nil for a query without a letter and a digit.
    init?(_ query: String) {
        let query = query.prefix(1000)
        let digits = Self.digits(query)
        let isNumber = query.allSatisfy { $0.isNumber || $0.isWhitespace || "+-./()".contains($0) }
        number = isNumber && digits.count >= 3 ? digits : nil
        words = Array(Self.words(String(query)).prefix(Self.most))
        if words.isEmpty { return nil }
    }

    /// How well a contact fits; nil if it does not.
    ///
    /// - Parameters:
    ///   - contact: The contact.
    ///   - otherNames: Names by which it is known beside the full one.
    /// - Returns: The rank. Words of the query may be missing if a whole name is among the others.
    func rank(_ contact: StoredContact, otherNames: [String]) -> Rank? {
        if let number {
            let found = contact.phones.firstIndex { Self.digits($0.value[...]).contains(number) }
            if let found { return Rank(missing: 0, distance: found) }
        }
        let names = Self.words(([contact.name] + otherNames).joined(separator: " "))
        let organisation = Self.words(contact.organisation ?? "")
        let addresses = contact.emails.flatMap { Self.words($0.value) }
        var (rank, hasWholeName) = (Rank(missing: 0, distance: 0), false)
        for word in words {
            if let place = Self.place(of: word, in: names) {
                rank.distance += place
                hasWholeName = hasWholeName || (place == 0 && word.count > 2)
            } else if let place = Self.place(of: word, in: organisation) {
                rank.distance += 10 + place
            } else if let place = Self.place(of: word, in: addresses) {
                rank.distance += 20 + place
            } else if word.count >= 3, word.allSatisfy(\.isNumber),
                contact.phones.contains(where: { Self.digits($0.value[...]).contains(word) })
            {
                rank.distance += 30
            } else {
                rank.missing += 1
            }
        }
        return rank.missing == 0 || hasWholeName ? rank : nil
    }

    /// The best of the contacts that fit, best first. What lacks words of the query counts only where nothing has them
    /// all.
    static func best(_ found: [(rank: Rank, contact: StoredContact)], limit: Int) -> [StoredContact] {
        let least = found.map(\.rank.missing).min()
        return found.filter { $0.rank.missing == least }
            .sorted { ($0.rank, $0.contact.name, $0.contact.id.path) < ($1.rank, $1.contact.name, $1.contact.id.path) }
            .prefix(limit).map(\.contact)
    }

    /// 0 for the whole word, 1 for its beginning, 2 for a part of it; nil if it is nowhere.
    private static func place(of word: String, in words: [String]) -> Int? {
        if words.contains(word) { return 0 }
        if words.contains(where: { $0.hasPrefix(word) }) { return 1 }
        return word.count >= 3 && words.contains { $0.contains(word) } ? 2 : nil
    }

    /// The digits of a number without the zeros, or the plus, of a prefix: `+49 30 …` contains `030 …`.
    private static func digits(_ text: Substring) -> String {
        let digits = text.compactMap { $0.wholeNumberValue.map(String.init) }.joined()
        return String(digits.drop { $0 == "0" })
    }

    /// The words of a text: letters and digits, in lower case and without accents.
    private static func words(_ text: String) -> [String] {
        SearchText.plain(text).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
