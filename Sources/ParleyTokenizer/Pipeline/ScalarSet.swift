// SPDX-License-Identifier: Apache-2.0

/// A set of characters of a regular expression: single ones, ranges, properties, and what other sets contain.
struct ScalarSet: Sendable, Hashable {
    /// A property of characters that expressions name.
    enum Property: Sendable, Hashable {
        /// One of the general categories, by their names of one or two letters.
        case category(String)
        case whitespace
        case digit
        case word
        /// Letters, and what Unicode counts to them.
        case alphabetic
    }

    /// A part of the set.
    enum Member: Sendable, Hashable {
        case range(ClosedRange<UInt32>)
        case property(Property, isInverted: Bool)
        case set(ScalarSet)
    }

    let members: [Member]
    let isInverted: Bool
    /// Whether letters count in either case.
    let ignoresCase: Bool
    /// The number of members, with those of inner sets.
    private let size: Int
    /// How many steps of matching it counts as to look for a character: one for the sets of usual expressions.
    var price: Int { 1 + size / 8 }

    /// The set of one character.
    init(_ scalar: Unicode.Scalar, ignoresCase: Bool) {
        self.init([.range(scalar.value...scalar.value)], ignoresCase: ignoresCase)
    }

    init(_ members: [Member], isInverted: Bool = false, ignoresCase: Bool = false) {
        self.members = members
        self.isInverted = isInverted
        self.ignoresCase = ignoresCase
        size = members.reduce(0) { sum, member in
            if case .set(let set) = member { sum + set.size } else { sum + 1 }
        }
    }

    /// Whether a character is in the set.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard ignoresCase else { return has(scalar) != isInverted }
        return (has(scalar) || Self.otherCases(of: scalar).contains(where: has)) != isInverted
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        members.contains { member in
            switch member {
            case .range(let range): range.contains(scalar.value)
            case .property(let property, let isInverted): Self.has(property, scalar) != isInverted
            case .set(let set): set.contains(scalar)
            }
        }
    }

    /// The characters that differ from one only in case, as far as each case is one character.
    private static func otherCases(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        // The long s is a lower-case letter whose capital is S.
        let mapped = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
        var cases = mapped.compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : nil }
        cases += cases.flatMap { other in
            let lower = other.properties.lowercaseMapping.unicodeScalars
            return lower.count == 1 ? Array(lower) : []
        }
        return cases
    }

    private static func has(_ property: Property, _ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch property {
        case .alphabetic: return properties.isAlphabetic || properties.isJoinControl
        case .whitespace: return properties.isWhitespace
        case .digit: return properties.generalCategory == .decimalNumber
        case .word:
            switch properties.generalCategory {
            case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: return true
            default: return isIn("L", properties.generalCategory)
            }
        case .category(let name): return isIn(name, properties.generalCategory)
        }
    }

    /// Whether a category is the one of that name, or one of those that a name of one letter stands for.
    static func isIn(_ name: String, _ category: Unicode.GeneralCategory) -> Bool {
        abbreviation(of: category).hasPrefix(name)
    }

    /// The names that categories have in expressions.
    static let categoryNames: Set<String> = [
        "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe",
        "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn",
    ]

    private static func abbreviation(of category: Unicode.GeneralCategory) -> String {
        switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
