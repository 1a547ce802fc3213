// SPDX-License-Identifier: Apache-2.0

/// Splits text at special tokens before it is tokenised.
///
/// Longer tokens take precedence over shorter ones, wherever they are; of one token, the leftmost occurrence comes
/// first. This is llama.cpp's order, which searches the text once for each token. Here one pass finds which tokens
/// occur at all.
struct SpecialTokenPartition: Sendable {
    /// A part of the text.
    enum Fragment: Equatable {
        /// A special token.
        case token(TokenID)
        /// Ordinary text, which is not tokenised yet; never empty.
        case text(Range<Int>)
    }

    /// Where control tokens are recognised.
    enum Scope {
        case nowhere, everywhere
        /// In the template's text: ranges in ascending order that neither overlap nor touch.
        case within([Range<Int>], ReservedTokens)
    }

    private struct Entry: Sendable {
        var id: TokenID
        var text: [UInt8]
        /// Whether it is a control token by llama.cpp's rule, which ``Scope/nowhere`` and ``Scope/everywhere`` follow.
        var isControl: Bool
        /// Whether the file, or its well-known text, makes it a special token; otherwise it is cut out in templates
        /// only.
        var isSpecial: Bool
        var stripsLeft: Bool
        var stripsRight: Bool
    }

    /// The special tokens in lexicographic order of their texts.
    private let entries: [Entry]
    private let texts: SortedTexts<UInt8>
    /// For each byte, the range of ``entries`` that begin with it.
    private let entriesByFirstByte: [Range<Int>]
    private let onlyControl: Bool

    /// Throws ``TokenizerError`` if a token is too long to be looked for at each place of a text.
    init(_ vocabulary: Vocabulary, _ reserved: ReservedTokens) throws(TokenizerError) {
        let special = Set(vocabulary.special)
        let entries = (vocabulary.special + reserved.all.filter { !special.contains($0) }).map { id in
            let attributes = vocabulary.attributes[Int(id)]
            let isControl = !attributes.isDisjoint(with: [.control, .unknown])
            return Entry(
                id: id, text: Array(vocabulary.pieces[PieceID(id)]), isControl: isControl,
                isSpecial: special.contains(id),
                stripsLeft: attributes.contains(.stripsLeft), stripsRight: attributes.contains(.stripsRight))
        }.sorted { $0.text.lexicographicallyPrecedes($1.text) }
        let texts = try SortedTexts(entries.map(\.text))
        self.entries = entries
        self.texts = texts
        entriesByFirstByte = (UInt8.min...UInt8.max).map { texts.range(beginningWith: $0) }
        onlyControl = entries.allSatisfy { $0.isControl || !$0.isSpecial }
    }

    /// The fragments of `text`, in order.
    func fragments(of text: [UInt8], controlTokens scope: Scope) -> [Fragment] {
        guard !text.isEmpty else { return [] }
        var fragments = [Fragment.text(0..<text.count)]
        if case .nowhere = scope, onlyControl { return fragments }
        for (entry, window) in occurring(in: text, scope) {
            var finer: [Fragment] = []
            finer.reserveCapacity(fragments.count)
            for fragment in fragments {
                if case .text(let range) = fragment, range.overlaps(window) {
                    split(text, range, at: entry, within: window, scope, into: &finer)
                } else {
                    finer.append(fragment)
                }
            }
            fragments = finer
        }
        return fragments
    }

    /// All tokens whose texts occur in `text`.
    func tokens(in text: [UInt8]) -> [TokenID] {
        occurring(in: text, .everywhere).map(\.0.id)
    }

    /// The tokens that occur in `text`, the longest first, each with the part of the text that holds all occurrences.
    private func occurring(in text: [UInt8], _ scope: Scope) -> [(Entry, Range<Int>)] {
        var windows: [Int: Range<Int>] = [:]
        for start in text.indices {
            let candidates = entriesByFirstByte[Int(text[start])]
            guard !candidates.isEmpty else { continue }
            texts.forEach(of: candidates, in: text, at: start) { equal, length in
                for index in equal where isAllowed(entries[index], start..<start + length, scope) {
                    windows[index] = (windows[index]?.lowerBound ?? start)..<start + length
                }
            }
        }
        return windows.map { (entries[$0], $1) }.sorted { left, right in
            let (left, right) = (left.0, right.0)
            return left.text.count == right.text.count ? left.id < right.id : left.text.count > right.text.count
        }
    }

    private func isAllowed(_ entry: Entry, _ range: Range<Int>, _ scope: Scope) -> Bool {
        switch scope {
        case .everywhere: return entry.isSpecial
        case .nowhere: return entry.isSpecial && !entry.isControl
        case .within(let ranges, let reserved): return reserved.allows(entry.id, at: range, template: ranges)
        }
    }

    private func split(
        _ text: [UInt8], _ range: Range<Int>, at entry: Entry, within window: Range<Int>, _ scope: Scope,
        into fragments: inout [Fragment]
    ) {
        var rest = range
        var start = max(range.lowerBound, window.lowerBound)
        while start + entry.text.count <= min(range.upperBound, window.upperBound) {
            let end = start + entry.text.count
            guard text[start] == entry.text[0], text[start..<end].elementsEqual(entry.text),
                isAllowed(entry, start..<end, scope)
            else {
                start += 1
                continue
            }
            var before = rest.lowerBound..<start
            while entry.stripsLeft, let last = before.last, text[last].isASCIISpace { before.removeLast() }
            if !before.isEmpty { fragments.append(.text(before)) }
            fragments.append(.token(entry.id))
            rest = end..<range.upperBound
            while entry.stripsRight, let first = rest.first, text[first].isASCIISpace { rest.removeFirst() }
            start = rest.lowerBound
        }
        if !rest.isEmpty { fragments.append(.text(rest)) }
    }
}

extension UInt8 {
    fileprivate var isASCIISpace: Bool { self == 0x20 || self >= 0x09 && self <= 0x0D }
}
