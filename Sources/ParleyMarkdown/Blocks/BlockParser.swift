// SPDX-License-Identifier: Apache-2.0

/// Reads lines into blocks (CommonMark 0.31, sections 4 and 5, and its appendix "A parsing strategy"; tables and tasks as
/// in GitHub Flavored Markdown 0.29). Each line is looked at once.
struct BlockParser {
    /// The most blocks within each other; what goes deeper is text of the innermost one.
    static let deepest = 100

    private(set) var tree = BlockTree()
    var definitions = LinkDefinitions()
    private var line = 0
    private var dollars = Formulas.Dollars()

    /// Takes out the blocks to which nothing can be added any more.
    mutating func takeClosed() -> [BlockTree] { tree.takeClosed() }

    /// Ends the document.
    mutating func finish() {
        while tree.tip > 0 { close() }
    }

    /// Reads a line without its end.
    mutating func read(_ bytes: [UInt8]) {
        line += 1
        var cursor = LineCursor(bytes)
        let oldTip = tree.tip
        var container = 0
        var matchesAll = true
        while let child = tree.openChild(of: container) {
            switch goOn(child, &cursor) {
            case .matches: container = child
            case .ends:
                close()
                return
            case .endsBefore(let rest, within: let text):
                endFormula(child, with: text, before: rest)
                return
            case .doesNot: matchesAll = false
            }
            if !matchesAll { break }
        }
        let matched = container
        var closed = container == oldTip
        func closeUnmatched(_ parser: inout BlockParser) {
            guard !closed else { return }
            while parser.tree.tip != matched { parser.close() }
            closed = true
        }
        var isLeaf = tree[container].kind.takesLines && !mayBeInterrupted(container)
        var beginsLeaf = false
        while !isLeaf {
            guard !cursor.isBlank, let start = start(in: container, cursor, isLazy: !closed) else { break }
            closeUnmatched(&self)
            (container, isLeaf) = open(start, in: container, &cursor)
            beginsLeaf = isLeaf
        }
        if !closed, !cursor.isBlank, tree[tree.tip].kind.isParagraph {
            // A paragraph goes on although the marks of the blocks around it are missing.
            cursor.skipIndent()
            tree[tree.tip].text += cursor.rest + [0x0A]
            return
        }
        closeUnmatched(&self)
        noteBlank(container, isBlank: cursor.isBlank && !beginsLeaf)
        addText(to: container, &cursor)
    }

    // MARK: Blocks that go on

    private enum Continuation {
        case matches, doesNot
        /// The line is the end of the block.
        case ends
        /// The line has the end of a formula, and perhaps text behind it.
        case endsBefore([UInt8], within: [UInt8])
    }

    private func goOn(_ number: Int, _ cursor: inout LineCursor) -> Continuation {
        switch tree[number].kind {
        case .document, .list: return .matches
        case .quote:
            guard !cursor.isIndented, cursor.next == UInt8(ascii: ">") else { return .doesNot }
            cursor.skipIndent()
            cursor.advance(bytes: 1)
            if cursor.peek?.isSpaceOrTab == true { cursor.advance(columns: 1) }
            return .matches
        case .item(let marker):
            if cursor.isBlank {
                guard !tree[number].children.isEmpty else { return .doesNot }
                cursor.skipIndent()
                return .matches
            }
            guard cursor.indent >= marker.offset + marker.padding else { return .doesNot }
            cursor.advance(columns: marker.offset + marker.padding)
            return .matches
        case .heading, .thematicBreak: return .doesNot
        case .fenced(let fence, _):
            if !cursor.isIndented, LineForms.closes(fence, cursor.bytes, cursor.nextOffset) { return .ends }
            var indent = fence.indent
            while indent > 0, cursor.peek?.isSpaceOrTab == true {
                cursor.advance(columns: 1)
                indent -= 1
            }
            return .matches
        case .indented:
            if cursor.isIndented {
                cursor.advance(columns: 4)
            } else if cursor.isBlank {
                cursor.skipIndent()
            } else {
                return .doesNot
            }
            return .matches
        case .formula(let opening):
            if let (before, after) = Formulas.closing(opening, cursor.rest) {
                return .endsBefore(after, within: before)
            }
            return cursor.isBlank && !opening.isAlone ? .doesNot : .matches
        case .html(let condition): return cursor.isBlank && condition >= 6 ? .doesNot : .matches
        case .paragraph, .table: return cursor.isBlank ? .doesNot : .matches
        }
    }

    private func mayBeInterrupted(_ number: Int) -> Bool {
        switch tree[number].kind {
        case .paragraph, .table: true
        default: false
        }
    }

    // MARK: Blocks that begin

    private enum Start {
        case quote, indented, thematicBreak
        case heading(level: Int, text: [UInt8])
        case underline(level: Int)
        case fence(LineForms.Fence, info: [UInt8])
        case formula(Formulas.Opening, text: [UInt8])
        case html(condition: Int)
        case table([MarkdownTable.Alignment?])
        case item(LineForms.ListMarker, length: Int)
    }

    /// The block that begins at a place of a line; nil if none does.
    private mutating func start(in container: Int, _ cursor: LineCursor, isLazy: Bool) -> Start? {
        guard tree.depth(of: container) < Self.deepest, let byte = cursor.next else { return nil }
        let (bytes, place) = (cursor.bytes, cursor.nextOffset)
        let isParagraph = tree[container].kind.isParagraph
        if cursor.isIndented {
            return tree[tree.tip].kind.isParagraph || isParagraph || isTable(container) ? nil : .indented
        }
        if byte == UInt8(ascii: ">") { return .quote }
        if let (level, text) = LineForms.heading(bytes, place) { return .heading(level: level, text: text) }
        if let (fence, info) = LineForms.fence(bytes, place, indent: cursor.indent) { return .fence(fence, info: info) }
        if let (opening, text) = Formulas.opening(bytes, place),
            !(isParagraph && opening.marks == .dollars
                && dollars.isOpen(in: tree[container].text, ofParagraphAt: tree[container].line))
        {
            return .formula(opening, text: text)
        }
        if let condition = LineForms.htmlStart(bytes, place),
            condition < 7 || !isParagraph && !isTable(container) && !(isLazy && tree[tree.tip].kind.isParagraph)
        {
            return .html(condition: condition)
        }
        if isParagraph, let level = LineForms.underline(bytes, place) { return .underline(level: level) }
        if isParagraph, let alignments = table(below: container, bytes, place) { return .table(alignments) }
        if LineForms.isThematicBreak(bytes, place) { return .thematicBreak }
        if let (marker, length) = LineForms.listMarker(bytes, place, interruptsParagraph: isParagraph) {
            return .item(marker, length: length)
        }
        return nil
    }

    private func isTable(_ number: Int) -> Bool { if case .table = tree[number].kind { true } else { false } }

    /// The alignments of a table whose header is the last line of a paragraph.
    private func table(below paragraph: Int, _ bytes: [UInt8], _ start: Int) -> [MarkdownTable.Alignment?]? {
        guard [UInt8(ascii: "|"), UInt8(ascii: "-"), UInt8(ascii: ":")].contains(bytes[start]),
            let alignments = TableRow.alignments(bytes[start...]),
            TableRow.cells(tree[paragraph].text[lastLine(of: paragraph)...].dropLast()).count == alignments.count
        else { return nil }
        return alignments
    }

    /// Where the last line of a paragraph begins, each of whose lines has an end.
    private func lastLine(of paragraph: Int) -> Int {
        (tree[paragraph].text.dropLast().lastIndex(of: 0x0A) ?? -1) + 1
    }

    /// Begins a block.
    ///
    /// - Returns: the block, and whether nothing else can begin in it.
    private mutating func open(
        _ start: Start, in container: Int, _ cursor: inout LineCursor
    ) -> (container: Int, isLeaf: Bool) {
        switch start {
        case .quote:
            cursor.skipIndent()
            cursor.advance(bytes: 1)
            if cursor.peek?.isSpaceOrTab == true { cursor.advance(columns: 1) }
            return (add(.quote, to: container), false)
        case .heading(let level, let text):
            let heading = add(.heading(level: level), to: container)
            tree[heading].text = text
            cursor.advance(bytes: cursor.bytes.count)
            close()
            return (heading, true)
        case .underline(let level): return underline(container, level, &cursor)
        case .fence(let fence, let info):
            cursor.advance(bytes: cursor.bytes.count)
            return (add(.fenced(fence, info: Escapes.resolve(info)), to: container), true)
        case .formula(let opening, let text):
            cursor.advance(bytes: cursor.bytes.count)
            let formula = add(.formula(opening), to: container)
            tree[formula].text = text + [0x0A]
            return (formula, true)
        case .html(let condition): return (add(.html(condition: condition), to: container), true)
        case .table(let alignments): return (table(alignments, from: container, &cursor), true)
        case .thematicBreak:
            let block = add(.thematicBreak, to: container)
            cursor.advance(bytes: cursor.bytes.count)
            close()
            return (block, true)
        case .item(let marker, let length): return (item(marker, length, in: container, &cursor), false)
        case .indented:
            cursor.advance(columns: 4)
            return (add(.indented, to: container), true)
        }
    }

    /// Makes the paragraph above a heading, unless nothing but definitions stands in it.
    private mutating func underline(_ paragraph: Int, _ level: Int, _ cursor: inout LineCursor) -> (Int, Bool) {
        takeDefinitions(of: paragraph)
        guard !tree[paragraph].text.isEmpty else {
            if LineForms.isThematicBreak(cursor.bytes, cursor.nextOffset) {
                return open(.thematicBreak, in: paragraph, &cursor)
            }
            // The line is the first of the paragraph then.
            return (paragraph, true)
        }
        tree[paragraph].kind = .heading(level: level)
        cursor.advance(bytes: cursor.bytes.count)
        close()
        return (paragraph, true)
    }

    private mutating func table(
        _ alignments: [MarkdownTable.Alignment?], from paragraph: Int, _ cursor: inout LineCursor
    ) -> Int {
        let start = lastLine(of: paragraph)
        let header = Array(tree[paragraph].text[start...])
        cursor.advance(bytes: cursor.bytes.count)
        var table = paragraph
        if start == 0 {
            tree[paragraph].kind = .table(alignments)
        } else {
            let parent = tree[paragraph].parent
            tree[paragraph].text.removeSubrange(start...)
            close()
            table = tree.add(.table(alignments), to: parent, line: line)
        }
        tree[table].text = header
        return table
    }

    private mutating func item(
        _ marker: LineForms.ListMarker, _ length: Int, in container: Int, _ cursor: inout LineCursor
    ) -> Int {
        var marker = marker
        marker.offset = cursor.indent
        cursor.skipIndent()
        cursor.advance(bytes: length)
        let width = cursor.isBlank ? 0 : cursor.indent
        if (1...4).contains(width) {
            marker.padding = length + width
            cursor.advance(columns: width)
        } else {
            marker.padding = length + 1
            if cursor.peek?.isSpaceOrTab == true { cursor.advance(columns: 1) }
        }
        var list = container
        if case .list(let other) = tree[container].kind, other.continues(marker) {
        } else {
            list = add(.list(marker), to: container)
        }
        return add(.item(marker), to: list)
    }

    private mutating func add(_ kind: BlockTree.Kind, to container: Int) -> Int {
        var container = container
        // A block that cannot contain the new one ends: a paragraph, a table, a list before what is no item.
        while !canContain(container, kind) {
            close()
            container = tree.tip
        }
        return tree.add(kind, to: container, line: line)
    }

    private func canContain(_ number: Int, _ kind: BlockTree.Kind) -> Bool {
        switch tree[number].kind {
        case .document, .quote, .item: if case .item = kind { false } else { true }
        case .list: if case .item = kind { true } else { false }
        default: false
        }
    }

    // MARK: Text

    /// Notes whether the last line of a block, and of those around it, is blank.
    private mutating func noteBlank(_ container: Int, isBlank: Bool) {
        if isBlank, let last = tree[container].children.last { tree[last].endsBlank = true }
        var endsBlank = isBlank
        switch tree[container].kind {
        case .quote, .fenced, .formula: endsBlank = false
        case .item: if tree[container].children.isEmpty, tree[container].line == line { endsBlank = false }
        default: break
        }
        var number = container
        while number >= 0 {
            tree[number].endsBlank = endsBlank
            number = tree[number].parent
        }
    }

    private mutating func addText(to container: Int, _ cursor: inout LineCursor) {
        switch tree[container].kind {
        case .paragraph, .table:
            guard !cursor.isBlank else { return }
            cursor.skipIndent()
            tree[container].text += cursor.rest + [0x0A]
        case .fenced, .formula:
            // The line of the opening fence itself has been read.
            if tree[container].line != line { tree[container].text += cursor.rest + [0x0A] }
        case .indented: tree[container].text += cursor.rest + [0x0A]
        case .html(let condition):
            tree[container].text += cursor.rest + [0x0A]
            if LineForms.endsHTML(condition, cursor.bytes) { close() }
        case .heading, .thematicBreak: break
        case .document, .quote, .list, .item:
            guard !cursor.isBlank else { return }
            let paragraph = add(.paragraph, to: container)
            cursor.skipIndent()
            tree[paragraph].text = cursor.rest + [0x0A]
        }
    }

    // MARK: Closing

    /// Closes the innermost open block, and reads its text.
    private mutating func close() {
        let number = tree.tip
        if case .formula(let opening) = tree[number].kind, !opening.isClosed, !opening.isAlone {
            // What has no end was no beginning.
            tree[number].kind = .paragraph
            tree[number].text = opening.marks.opening + tree[number].text
        }
        if tree[number].kind.isParagraph {
            takeDefinitions(of: number)
            if tree[number].text.isEmpty {
                tree.closeTip()
                return tree.removeLast(of: tree.tip)
            }
        }
        tree.closeTip()
        tree.readInlines(of: number, &definitions)
    }

    /// Closes a formula; what stands behind it in its last line begins a paragraph.
    private mutating func endFormula(_ number: Int, with text: [UInt8], before rest: [UInt8]) {
        guard case .formula(var opening) = tree[number].kind else { return }
        opening.isClosed = true
        tree[number].kind = .formula(opening)
        tree[number].text += text
        close()
        guard !rest.isEmpty else { return }
        let paragraph = add(.paragraph, to: tree.tip)
        tree[paragraph].text = rest + [0x0A]
    }

    /// Takes definitions from the beginning of a paragraph.
    private mutating func takeDefinitions(of paragraph: Int) {
        let text = tree[paragraph].text
        var start = 0
        while start < text.count, let end = definitions.read(text, at: start) { start = end }
        if start > 0 { tree[paragraph].text = Array(text[start...]) }
    }
}

extension BlockTree {
    /// Reads the text of a block that has one.
    mutating func readInlines(of number: Int, _ definitions: inout LinkDefinitions) {
        func parse(_ bytes: some BidirectionalCollection<UInt8>) -> [MarkdownInline] {
            let (inlines, misses) = InlineParser.parse(Array(bytes), &definitions)
            if misses { self[number].missesLabel = true }
            return inlines
        }
        self[number].missesLabel = false
        let text = self[number].text
        switch self[number].kind {
        case .paragraph, .heading:
            let end = (text.lastIndex { !$0.isSpace } ?? -1) + 1
            self[number].inlines = parse(text[..<end])
        case .table(let alignments):
            var rows: [[[MarkdownInline]]] = []
            for line in text.split(separator: 0x0A) {
                let cells = TableRow.cells(line).prefix(alignments.count).map { parse($0) }
                rows.append(cells + Array(repeating: [], count: alignments.count - cells.count))
            }
            self[number].cells = rows
        default: break
        }
    }

    /// Whether a label in one of the blocks may be defined later.
    var missesLabels: Bool { nodes.contains(where: \.missesLabel) }

    /// Reads the blocks again whose labels were not defined.
    mutating func readMissingLabels(_ definitions: inout LinkDefinitions) {
        for number in nodes.indices where nodes[number].missesLabel { readInlines(of: number, &definitions) }
    }
}
