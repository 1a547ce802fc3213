// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer
import Testing

@Suite("Classes of characters")
struct CharacterClassTests {
    /// Tests a class through GPT-2's pattern: a character after a letter belongs to its word if it is a letter too.
    private func joinsWord(_ scalar: Unicode.Scalar, _ base: Unicode.Scalar) throws -> Bool {
        var text = String.UnicodeScalarView()
        text.append(base)
        text.append(scalar)
        return try PreTokenizer.named("gpt-2").words(of: Array(String(text).utf8)).count == 1
    }

    @Test("Letters and numbers are those of Unicode 15.1", arguments: ["a", "é", "漢", "ა", "𐐀", "\u{2EBF0}"])
    func letters(_ scalar: Unicode.Scalar) throws {
        #expect(try joinsWord(scalar, "a"))
    }

    @Test("Letters of later Unicode versions are not letters", arguments: ["\u{1C89}", "\u{10D40}", "\u{323B0}"])
    func laterLetters(_ scalar: Unicode.Scalar) throws {
        #expect(try !joinsWord(scalar, "a"))
    }

    @Test("Numbers are digits, fractions and numerals", arguments: ["7", "½", "Ⅳ", "٣", "〇", "𝟘"])
    func numbers(_ scalar: Unicode.Scalar) throws {
        #expect(try joinsWord(scalar, "1"))
    }

    @Test("White space includes the next line and the ideographic space but not the zero-width one")
    func whitespace() throws {
        for scalar in ["\u{85}", "\u{A0}", "\u{3000}", "\u{B}"] as [Unicode.Scalar] {
            #expect(try joinsWord(scalar, "\t"))
            #expect(try !joinsWord(scalar, "!"))
        }
        #expect(try joinsWord("\u{200B}", "!"))
    }

    @Test("If the system's Unicode is at least as new, common letters agree")
    func agreementWithTheSystem() throws {
        // Characters assigned up to Unicode 14 have kept their class since, except for a few corrections.
        var different = 0
        for value in UInt32(0x80)..<0x32000 {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 13 else { continue }
            if try joinsWord(scalar, "a") != isLetter(scalar) { different += 1 }
        }
        #expect(different < 10)
    }

    private func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }
}
