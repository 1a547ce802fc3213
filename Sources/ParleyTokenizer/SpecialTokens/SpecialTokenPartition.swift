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
    /// For each byte, the range of ``entries`` that begin with it.
    private let entriesByFirstByte: [Range<Int>]
    private let onlyControl: Bool

    init(_ vocabulary: Vocabulary, _ reserved: ReservedTokens) {
        let special = Set(vocabulary.special)
        let entries = (vocabulary.special + reserved.all.filter { !special.contains($0) }).map { id in
            let attributes = vocabulary.attributes[Int(id)]
            let isControl = !attributes.isDisjoint(with: [.control, .unknown])
            return Entry(
                id: id, text: Array(vocabulary.pieces[PieceID(id)]), isControl: isControl,
                isSpecial: special.contains(id),
                stripsLeft: attributes.contains(.stripsLeft), stripsRight: attributes.contains(.stripsRight))
        }.sorted { $0.text.lexicographicallyPrecedes($1.text) }
        var ranges = [Range<Int>](repeating: 0..<0, count: 256)
        for (index, entry) in entries.enumerated() {
            let first = Int(entry.text[0])
            ranges[first] = (ranges[first].isEmpty ? index : ranges[first].lowerBound)..<index + 1
        }
        self.entries = entries
        entriesByFirstByte = ranges
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
            var candidates = entriesByFirstByte[Int(text[start])]
            var depth = 1
            while !candidates.isEmpty {
                // The candidates have the same first `depth` bytes; one that ends there is the first of them.
                while let index = candidates.first, entries[index].text.count == depth {
                    if isAllowed(entries[index], start..<start + depth, scope) {
                        windows[index] = (windows[index]?.lowerBound ?? start)..<start + depth
                    }
                    candidates.removeFirst()
                }
                guard start + depth < text.count else { break }
                candidates = narrowed(candidates, byte: text[start + depth], at: depth)
                depth += 1
            }
        }
        return windows.map { (entries[$0], $1) }.sorted { left, right in
            let (left, right) = (left.0, right.0)
            return left.text.count == right.text.count ? left.id < right.id : left.text.count > right.text.count
        }
    }

    /// Those of `candidates` that have `byte` at `depth`; they are sorted by it.
    private func narrowed(_ candidates: Range<Int>, byte: UInt8, at depth: Int) -> Range<Int> {
        let lower = candidates.partitionPoint { entries[$0].text[depth] < byte }
        let upper = (lower..<candidates.upperBound).partitionPoint { entries[$0].text[depth] <= byte }
        return lower..<upper
    }

    private func isAllowed(_ entry: Entry, _ range: Range<Int>, _ scope: Scope) -> Bool {
        switch scope {
        case .everywhere: return entry.isSpecial
        case .nowhere: return entry.isSpecial && !entry.isControl
        case .within(let ranges, let reserved):
            guard reserved.hasOneAuthor(entry.id) else { return true }
            // The first of the template's ranges that ends after the token's beginning.
            let index = ranges.indices.partitionPoint { ranges[$0].upperBound <= range.lowerBound }
            guard index < ranges.count, ranges[index].lowerBound < range.upperBound else {
                return !reserved.isTemplates(entry.id)
            }
            return ranges[index].lowerBound <= range.lowerBound && ranges[index].upperBound >= range.upperBound
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

extension Range<Int> {
    /// The first element for which `precedes` is false; all before it are true, all after it false.
    fileprivate func partitionPoint(_ precedes: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = low + (high - low) / 2
            if precedes(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
