// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a paragraph, a heading or a cell (CommonMark 0.31, section 6, and its appendix "A parsing strategy";
/// strike-through and bare addresses as in GitHub Flavored Markdown 0.29), in time that is linear in its length.
struct InlineParser {
    /// A run of marks that may open or close emphasis.
    private struct Delimiter {
        let byte: UInt8
        let node: Int
        let length: Int
        var count: Int
        let opens: Bool
        let closes: Bool
        var previous: Int?
        var next: Int?
    }

    private struct Bracket {
        let node: Int
        /// The index behind the bracket.
        let start: Int
        let isImage: Bool
        /// Whether another bracket follows, so that what stands between the two is no label.
        var hasBracketAfter = false
        /// The last delimiter before it.
        let delimiter: Int?
    }

    private let bytes: [UInt8]
    private var index = 0
    private var nodes = InlineNodes()
    private var text: [UInt8] = []
    private var delimiters: [Delimiter] = []
    private var lastDelimiter: Int?
    private var brackets: [Bracket] = []
    /// How many of the brackets, the first ones, have a link behind them: a link around it is none.
    private var inactive = 0
    private var html = RawHTML()
    private var unclosedTitles: Set<UInt8> = []
    /// Where runs of backticks of each length begin, from the end on; nil before they are looked for.
    private var backticks: [Int: [Int]]?
    /// Whether a label was looked for that is not defined, so far.
    private var missesLabel = false

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: the text, without spaces at its ends.
    ///   - definitions: what labels stand for.
    /// - Returns: the pieces, and whether there is a label that may be defined later.
    static func parse(
        _ bytes: [UInt8], _ definitions: inout LinkDefinitions
    ) -> (inlines: [MarkdownInline], missesLabel: Bool) {
        var parser = InlineParser(bytes)
        while parser.index < bytes.count { parser.step(&definitions) }
        parser.flush()
        parser.emphasise(above: nil)
        return (parser.nodes.inlines(from: parser.nodes.first), parser.missesLabel)
    }

    private mutating func step(_ definitions: inout LinkDefinitions) {
        let byte = bytes[index]
        switch byte {
        case 0x0A: endLine()
        case UInt8(ascii: "\\"): escape()
        case UInt8(ascii: "`"): code()
        case UInt8(ascii: "$"): dollars()
        case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"): delimiterRun(byte)
        case UInt8(ascii: "["): openBracket(length: 1)
        case UInt8(ascii: "!") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "["):
            openBracket(length: 2)
        case UInt8(ascii: "]"): closeBracket(&definitions)
        case UInt8(ascii: "<"): angle()
        case UInt8(ascii: "&"):
            if let (characters, end) = Escapes.reference(in: bytes, at: index) {
                text += characters.utf8
                index = end
            } else {
                take(1)
            }
        default:
            if byte.isAlphanumeric || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+") || byte == 0x2D,
                bareAddress()
            {
                return
            }
            take(1)
        }
    }

    // MARK: Text

    private mutating func take(_ count: Int) {
        text += bytes[index..<index + count]
        index += count
    }

    private mutating func flush() {
        if !text.isEmpty { nodes.append(.text(text)) }
        text = []
    }

    private mutating func append(_ inline: MarkdownInline, to end: Int) {
        flush()
        nodes.append(.done(inline))
        index = end
    }

    private mutating func endLine() {
        flush()
        let spaces = nodes.trimLast()
        append(spaces >= 2 ? .lineBreak : .softBreak, to: bytes.end(from: index + 1) { $0.isSpaceOrTab })
    }

    private mutating func escape() {
        guard index + 1 < bytes.count else { return take(1) }
        if let (formula, end) = Formulas.formula(in: bytes, at: index) {
            append(formula, to: end)
        } else if bytes[index + 1] == 0x0A {
            append(.lineBreak, to: bytes.end(from: index + 2) { $0.isSpaceOrTab })
        } else if bytes[index + 1].isPunctuation {
            index += 1
            take(1)
        } else {
            take(1)
        }
    }

    private mutating func dollars() {
        if let (formula, end) = Formulas.formula(in: bytes, at: index) { return append(formula, to: end) }
        take(bytes.end(from: index) { $0 == UInt8(ascii: "$") } - index)
    }

    private mutating func code() {
        let end = bytes.end(from: index) { $0 == UInt8(ascii: "`") }
        guard let close = closingBackticks(end - index, after: end) else { return take(end - index) }
        var content = bytes[end..<close].map { $0 == 0x0A ? 0x20 : $0 }
        if content.first == 0x20, content.last == 0x20, content.contains(where: { $0 != 0x20 }) {
            content = Array(content.dropFirst().dropLast())
        }
        append(.code(String(decoding: content, as: UTF8.self)), to: close + end - index)
    }

    /// Where the next run of as many backticks begins.
    private mutating func closingBackticks(_ count: Int, after start: Int) -> Int? {
        if backticks == nil {
            var runs: [Int: [Int]] = [:]
            var place = 0
            while place < bytes.count {
                let end = bytes.end(from: place) { $0 == UInt8(ascii: "`") }
                if end > place { runs[end - place, default: []].append(place) }
                place = max(end, place + 1)
            }
            backticks = runs.mapValues { $0.reversed() }
        }
        while let place = backticks?[count]?.last {
            if place >= start { return place }
            backticks?[count]?.removeLast()
        }
        return nil
    }

    private mutating func angle() {
        if let (destination, address, end) = BareAddresses.bracketed(in: bytes, at: index) {
            append(.link(destination: destination, title: nil, [.text(address)]), to: end)
        } else if let end = html.end(in: bytes, at: index) {
            append(.html(bytes.text(index..<end)), to: end)
        } else {
            take(1)
        }
    }

    /// Reads an address that begins here without any mark.
    private mutating func bareAddress() -> Bool {
        guard let (destination, end) = BareAddresses.bare(in: bytes, at: index) else { return false }
        flush()
        nodes.append(.bareLink(destination: destination, bytes.text(index..<end)))
        index = end
        return true
    }

    // MARK: Emphasis

    private mutating func delimiterRun(_ byte: UInt8) {
        let end = bytes.end(from: index) { $0 == byte }
        let length = end - index
        let (before, after) = (scalar(before: index), scalar(at: end))
        let isLeft =
            !after.isMarkdownSpace
            && (!after.isMarkdownPunctuation || before.isMarkdownSpace || before.isMarkdownPunctuation)
        let isRight =
            !before.isMarkdownSpace
            && (!before.isMarkdownPunctuation || after.isMarkdownSpace || after.isMarkdownPunctuation)
        var (opens, closes) = (isLeft, isRight)
        if byte == UInt8(ascii: "_") {
            opens = isLeft && (!isRight || before.isMarkdownPunctuation)
            closes = isRight && (!isLeft || after.isMarkdownPunctuation)
        }
        flush()
        let node = nodes.append(.text(Array(bytes[index..<end])))
        index = end
        guard opens || closes, byte != UInt8(ascii: "~") || length <= 2 else { return }
        delimiters.append(
            Delimiter(
                byte: byte, node: node, length: length, count: length, opens: opens, closes: closes,
                previous: lastDelimiter))
        if let lastDelimiter { delimiters[lastDelimiter].next = delimiters.count - 1 }
        lastDelimiter = delimiters.count - 1
    }

    private func scalar(at place: Int) -> Unicode.Scalar {
        guard place < bytes.count else { return "\n" }
        var decoder = UTF8()
        var rest = bytes[place..<min(place + 4, bytes.count)].makeIterator()
        if case .scalarValue(let scalar) = decoder.decode(&rest) { return scalar }
        return "\u{FFFD}"
    }

    private func scalar(before place: Int) -> Unicode.Scalar {
        var start = place - 1
        guard start >= 0 else { return "\n" }
        while start > 0, place - start < 4, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return scalar(at: start)
    }

    private mutating func removeDelimiter(_ number: Int) {
        let (previous, next) = (delimiters[number].previous, delimiters[number].next)
        if let previous { delimiters[previous].next = next }
        if let next { delimiters[next].previous = previous } else { lastDelimiter = previous }
    }

    /// What decides which runs a closing run need not look at again.
    private struct ClosingKind: Hashable {
        let byte: UInt8
        let opens: Bool
        let length: Int
    }

    /// Matches the runs of marks above one, and forgets them.
    private mutating func emphasise(above bottom: Int?) {
        var bottoms: [ClosingKind: Int] = [:]
        var current = bottom.map { delimiters[$0].next } ?? firstDelimiter
        while let closer = current {
            guard delimiters[closer].closes else {
                current = delimiters[closer].next
                continue
            }
            let byte = delimiters[closer].byte
            let isTilde = byte == UInt8(ascii: "~")
            let kind = ClosingKind(
                byte: byte, opens: delimiters[closer].opens,
                length: isTilde ? delimiters[closer].length : delimiters[closer].length % 3)
            var opener = delimiters[closer].previous
            var found = false
            while let candidate = opener, candidate != bottom, candidate > bottoms[kind] ?? -1 {
                if delimiters[candidate].opens, delimiters[candidate].byte == byte, match(candidate, closer) {
                    found = true
                    break
                }
                opener = delimiters[candidate].previous
            }
            if found, let opener {
                current = join(opener, closer)
            } else {
                bottoms[kind] = delimiters[closer].previous ?? -1
                current = delimiters[closer].next
                if !delimiters[closer].opens { removeDelimiter(closer) }
            }
        }
        while let last = lastDelimiter, last != bottom { removeDelimiter(last) }
    }

    private var firstDelimiter: Int? {
        var first = lastDelimiter
        while let number = first, let previous = delimiters[number].previous { first = previous }
        return first
    }

    private func match(_ opener: Int, _ closer: Int) -> Bool {
        let (open, close) = (delimiters[opener], delimiters[closer])
        if open.byte == UInt8(ascii: "~") { return open.length == close.length }
        // A run that could do both matches another only if their lengths do not add up to a multiple of 3.
        guard open.closes || close.opens, close.length % 3 != 0 else { return true }
        return (open.length + close.length) % 3 != 0
    }

    /// Makes what stands between two runs emphasis.
    ///
    /// - Returns: the run to go on with.
    private mutating func join(_ opener: Int, _ closer: Int) -> Int? {
        let isTilde = delimiters[opener].byte == UInt8(ascii: "~")
        let isStrong = delimiters[opener].count >= 2 && delimiters[closer].count >= 2
        let used = isTilde ? delimiters[opener].count : isStrong ? 2 : 1
        while let between = delimiters[opener].next, between != closer { removeDelimiter(between) }
        let kind: InlineNodes.Kind = isTilde ? .strikethrough : isStrong ? .strong : .emphasis
        let isDone = nodes.wrap(after: delimiters[opener].node, before: delimiters[closer].node, as: kind)
        guard isDone else {
            let next = delimiters[closer].next
            removeDelimiter(opener)
            removeDelimiter(closer)
            return next
        }
        for number in [opener, closer] {
            delimiters[number].count -= used
            let rest = [UInt8](repeating: delimiters[number].byte, count: delimiters[number].count)
            nodes.setText(rest, of: delimiters[number].node)
        }
        if delimiters[opener].count == 0 {
            nodes.remove(delimiters[opener].node)
            removeDelimiter(opener)
        }
        guard delimiters[closer].count == 0 else { return closer }
        let next = delimiters[closer].next
        nodes.remove(delimiters[closer].node)
        removeDelimiter(closer)
        return next
    }

    // MARK: Links

    private mutating func openBracket(length: Int) {
        flush()
        let node = nodes.append(.text(Array(bytes[index..<index + length])))
        index += length
        if !brackets.isEmpty { brackets[brackets.count - 1].hasBracketAfter = true }
        brackets.append(Bracket(node: node, start: index, isImage: length == 2, delimiter: lastDelimiter))
    }

    private mutating func closeBracket(_ definitions: inout LinkDefinitions) {
        let place = index
        guard let bracket = brackets.popLast() else { return take(1) }
        let isActive = bracket.isImage || brackets.count >= inactive
        inactive = min(inactive, brackets.count)
        guard isActive, let (target, end) = target(of: bracket, at: place, &definitions) else { return take(1) }
        flush()
        emphasise(above: bracket.delimiter)
        guard nodes.wrap(after: bracket.node, before: nil, as: bracket.isImage ? .image(target) : .link(target)) else {
            return take(1)
        }
        nodes.remove(bracket.node)
        index = end
        // There are no links in links.
        if !bracket.isImage { inactive = brackets.count }
    }

    private mutating func target(
        of bracket: Bracket, at place: Int, _ definitions: inout LinkDefinitions
    ) -> (target: LinkDefinitions.Target, end: Int)? {
        if let inline = inlineTarget(from: place + 1) { return inline }
        var label = LinkParts.label(in: bytes, at: place + 1)
        // Spaces alone are no label.
        if let content = label?.content, !content.isEmpty, bytes[content].allSatisfy(\.isSpace) { label = nil }
        if let label, !label.content.isEmpty {
            if let target = definitions.target(of: bytes[label.content]) { return (target, label.end) }
            missesLabel = true
            return nil
        }
        guard !bracket.hasBracketAfter, place - bracket.start <= LinkParts.longestLabel else { return nil }
        if let target = definitions.target(of: bytes[bracket.start..<place]) {
            return (target, label?.end ?? place + 1)
        }
        missesLabel = true
        return nil
    }

    /// An address and perhaps a title in parentheses.
    private mutating func inlineTarget(from start: Int) -> (target: LinkDefinitions.Target, end: Int)? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "(") else { return nil }
        let place = LinkParts.skipSpace(in: bytes, from: start + 1)
        guard let (destination, end) = LinkParts.destination(in: bytes, at: place) else { return nil }
        var target = LinkDefinitions.Target(destination: destination)
        var close = LinkParts.skipSpace(in: bytes, from: end)
        if close > end, let (title, titleEnd) = LinkParts.title(in: bytes, at: close, unclosed: &unclosedTitles) {
            target.title = title
            close = LinkParts.skipSpace(in: bytes, from: titleEnd)
        }
        guard close < bytes.count, bytes[close] == UInt8(ascii: ")") else { return nil }
        return (target, close + 1)
    }
}
