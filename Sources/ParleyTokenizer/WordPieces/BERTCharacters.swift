// SPDX-License-Identifier: Apache-2.0

/// What BERT's normaliser makes of each character: lower case without accents, control characters left out, ideographs
/// apart ([Devlin et al., 2018](https://arxiv.org/abs/1810.04805)).
///
/// The tables were recorded from the reference implementation, so that they depend on no system's version of Unicode.
struct BERTCharacters: Sendable {
    /// The part that a character has in words.
    enum Kind: UInt32, Sendable {
        /// It belongs to a word.
        case keep
        /// It is left out, and the word continues.
        case remove
        /// It separates words.
        case space
        /// It is a word of its own, such as punctuation.
        case isolate
    }

    /// The characters' numbers in ``entries`` divided by the size of a page; equal pages are stored once.
    private var pages: [UInt16] = []
    /// For each character its kind, above it the number of what it becomes, and 0 there if it stays as it is.
    private var entries: [UInt32] = []
    /// The results that are several characters, by the number with ``severalFlag``.
    private var sequences: [[Unicode.Scalar]] = []

    private static let pageSize = 256
    private static let severalFlag: UInt32 = 1 << 24
    private static let hangul: ClosedRange<UInt32> = 0xAC00...0xD7A3

    /// The tables, which take a few hundred KiB and are built at the first use.
    static let standard = BERTCharacters()

    private init() {
        var all = Self.recordedKinds()
        for (source, targets) in Self.recordedTargets() {
            let number: UInt32
            if targets.count == 1 {
                number = targets[0].value
            } else {
                number = Self.severalFlag | UInt32(sequences.count)
                sequences.append(targets)
            }
            all[source] |= number << 2
        }
        var known: [[UInt32]: UInt16] = [:]
        for start in stride(from: 0, to: all.count, by: Self.pageSize) {
            let page = Array(all[start..<start + Self.pageSize])
            let number = known[page] ?? UInt16(entries.count / Self.pageSize)
            if known.updateValue(number, forKey: page) == nil { entries += page }
            pages.append(number)
        }
    }

    /// Passes what a character becomes, with its kind.
    @inline(__always)
    func forEach(of scalar: Unicode.Scalar, _ body: (Kind, Unicode.Scalar) -> Void) {
        let value = scalar.value
        let entry = entries[Int(pages[Int(value >> 8)]) << 8 | Int(value & 255)]
        let kind = Kind(rawValue: entry & 3) ?? .keep
        let target = entry >> 2
        if target == 0 {
            if Self.hangul.contains(value) { return Self.forEachJamo(of: value) { body(kind, $0) } }
            body(kind, scalar)
        } else if target & Self.severalFlag == 0 {
            body(kind, Unicode.Scalar(target) ?? scalar)
        } else {
            for scalar in sequences[Int(target & ~Self.severalFlag)] { body(kind, scalar) }
        }
    }

    /// Decomposes a syllable as the Unicode standard says in section 3.12.
    private static func forEachJamo(of syllable: UInt32, _ body: (Unicode.Scalar) -> Void) {
        let index = syllable - hangul.lowerBound
        let (initial, rest) = index.quotientAndRemainder(dividingBy: 588)
        let (vowel, final) = rest.quotientAndRemainder(dividingBy: 28)
        for value in [0x1100 + initial, 0x1161 + vowel] + (final > 0 ? [0x11A7 + final] : []) {
            if let scalar = Unicode.Scalar(value) { body(scalar) }
        }
    }

    /// The kinds of all code points.
    private static func recordedKinds() -> [UInt32] {
        var all: [UInt32] = []
        all.reserveCapacity(0x11_0000)
        var kind = Kind.keep
        var length = 0
        kinds.withUTF8Buffer { text in
            for byte in text where byte != UInt8(ascii: "\n") {
                if let digit = digit(byte) {
                    length = length * 10 + digit
                    continue
                }
                all.append(contentsOf: repeatElement(kind.rawValue, count: length))
                (kind, length) = (Self.kind(byte), 0)
            }
        }
        all.append(contentsOf: repeatElement(kind.rawValue, count: length))
        return all
    }

    /// What characters become, if that is not themselves.
    private static func recordedTargets() -> [(source: Int, targets: [Unicode.Scalar])] {
        var result: [(source: Int, targets: [Unicode.Scalar])] = []
        var (source, target) = (0, 0)
        for step in words(of: singles) {
            let numbers = step.split { $0 == ":" || $0 == "*" }.compactMap { Int($0) }
            for _ in 0..<(numbers.count > 2 ? numbers[2] : 1) {
                source += numbers[0]
                target += numbers[1]
                if let scalar = Unicode.Scalar(UInt32(target)) { result.append((source, [scalar])) }
            }
        }
        for entry in words(of: several) {
            let numbers = entry.split { $0 == "=" || $0 == "+" }.compactMap { UInt32($0) }
            result.append((Int(numbers[0]), numbers.dropFirst().compactMap(Unicode.Scalar.init)))
        }
        return result
    }

    private static func words(of text: StaticString) -> [Substring] {
        "\(text)".split { $0 == " " || $0 == "\n" }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int(byte - UInt8(ascii: "0")) : nil
    }

    private static func kind(_ letter: UInt8) -> Kind {
        switch letter {
        case UInt8(ascii: "R"): .remove
        case UInt8(ascii: "S"): .space
        case UInt8(ascii: "I"): .isolate
        default: .keep
        }
    }
}
