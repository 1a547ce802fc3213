// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

/// Cuts a text into numbers, marks and phrases of a language.
struct DateLexer {
    /// A number, a mark or a word as it stands in the text.
    struct Atom {
        /// The word in lower case without accents; digits and marks as they are.
        var folded: String
        /// Where it stands.
        var range: Range<String.Index>
        /// Whether nothing, not even a space, stands before it.
        var isGlued: Bool
    }

    /// Longest text that is read, in characters; what follows is ignored.
    static let limit = 400

    static func atoms(of text: String) -> [Atom] {
        enum Kind { case digit, letter, mark, space }
        var result: [Atom] = []
        var last = Kind.space
        var index = text.startIndex
        var count = 0
        while index < text.endIndex, count < limit {
            let character = text[index]
            let next = text.index(after: index)
            let kind: Kind =
                if character.isASCII, character.isNumber {
                    .digit
                } else if character.isLetter || character == "º" || character == "ª" {
                    .letter
                } else if character.isWhitespace {
                    .space
                } else {
                    .mark
                }
            if kind == last, kind == .digit || kind == .letter {
                result[result.count - 1].folded += folded(character)
                result[result.count - 1].range = result[result.count - 1].range.lowerBound..<next
            } else if kind != .space {
                result.append(Atom(folded: folded(character), range: index..<next, isGlued: last != .space))
            }
            (last, index, count) = (kind, next, count + 1)
        }
        return result
    }

    /// Digits, marks and phrases, longest phrases first.
    static func tokens(of text: String, in language: DateLanguage) -> [DateToken] {
        let atoms = atoms(of: text)
        var result: [DateToken] = []
        var index = 0
        while index < atoms.count {
            let atom = atoms[index]
            var token = DateToken(text: atom.folded, range: atom.range, isGlued: atom.isGlued)
            if let number = Int(atom.folded), atom.folded.utf8.count <= 4 {
                token.digits = (number, atom.folded.utf8.count)
            }
            var taken = 1
            var phrase = ""
            for length in 1...language.longest where index + length <= atoms.count {
                phrase += (length > 1 ? " " : "") + atoms[index + length - 1].folded
                let meanings = language.meanings(of: phrase)
                guard !meanings.isEmpty else { continue }
                token.meanings = meanings
                token.range = atom.range.lowerBound..<atoms[index + length - 1].range.upperBound
                (token.text, taken) = (phrase, length)
            }
            if taken > 1 { token.digits = nil }
            result.append(token)
            index += taken
        }
        for index in result.indices where language.capitalised.contains(result[index].text) {
            if text[result[index].range.lowerBound].isLowercase { result[index].meanings = [] }
        }
        // A weak word counts beside another one about time, and when it is all there is.
        for index in result.indices where language.weak.contains(result[index].text) {
            let before = index > 0 && result[index - 1].supportsWeak
            let after = index + 1 < result.count && result[index + 1].supportsWeak
            if !before, !after, result.count > 1 { result[index].meanings = [] }
        }
        return result
    }

    private static func folded(_ character: Character) -> String {
        switch character {
        case "ä", "á", "à", "â", "Ä", "Á", "À", "Â": "a"
        case "é", "è", "ê", "ë", "É", "È", "Ê", "Ë": "e"
        case "í", "î", "ï", "Í", "Î", "Ï": "i"
        case "ö", "ó", "ô", "Ö", "Ó", "Ô": "o"
        case "ü", "ú", "û", "ù", "Ü", "Ú", "Û", "Ù": "u"
        case "ñ", "Ñ": "n"
        case "ç", "Ç": "c"
        case "œ", "Œ": "oe"
        case "ß": "ss"
        case "’", "‘", "ʼ": "'"
        case "–", "—", "‐", "‑", "−": "-"
        default: character.lowercased()
        }
    }
}

/// A number in digits, a mark, or a phrase with its meanings.
struct DateToken {
    var text: String
    var range: Range<String.Index>
    var isGlued: Bool
    /// A number of up to four digits, and how many they are.
    var digits: (value: Int, count: Int)?
    var meanings: [DateLanguage.Meaning] = []

    var isTemporal: Bool { digits != nil || !meanings.isEmpty }

    /// Whether a weak word beside it counts.
    var supportsWeak: Bool {
        let links: Set<DateLanguage.Meaning> = [.lasting, .and, .or, .times, .article]
        return digits != nil || !links.isSuperset(of: meanings)
    }

    func has(_ meaning: DateLanguage.Meaning) -> Bool { meanings.contains(meaning) }

    /// The first of the meanings that gives a value.
    func first<T>(_ read: (DateLanguage.Meaning) -> T?) -> T? { meanings.lazy.compactMap(read).first }

    /// A number in digits or words.
    var number: Int? { digits?.value ?? first { if case .number(let value) = $0 { value } else { nil } } }
    var ordinal: Int? { first { if case .ordinal(let value) = $0 { value } else { nil } } }
    var weekday: Weekday? { first { if case .weekday(let value) = $0 { Weekday(number: value) } else { nil } } }
    var everyWeekday: Weekday? {
        first { if case .everyWeekday(let value) = $0 { Weekday(number: value) } else { nil } }
    }
    var month: Int? { first { if case .month(let value) = $0 { value } else { nil } } }
    var unit: DateLanguage.Unit? { first { if case .unit(let value) = $0 { value } else { nil } } }
    var part: DateLanguage.Part? { first { if case .part(let value) = $0 { value } else { nil } } }
    var everyPart: DateLanguage.Part? { first { if case .everyPart(let value) = $0 { value } else { nil } } }
    var which: DateLanguage.Which? { first { if case .which(let value) = $0 { value } else { nil } } }
    var edge: DateLanguage.Edge? { first { if case .edge(let value) = $0 { value } else { nil } } }
    var afternoon: Bool? { first { if case .afternoonMark(let value) = $0 { value } else { nil } } }
}
