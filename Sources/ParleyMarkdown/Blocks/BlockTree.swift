// SPDX-License-Identifier: Apache-2.0

/// The blocks that are being read: those of the last block of a document, and those that ended since they were taken.
struct BlockTree {
    enum Kind {
        case document
        case quote
        case list(LineForms.ListMarker)
        case item(LineForms.ListMarker)
        case paragraph
        case heading(level: Int)
        case fenced(LineForms.Fence, info: String)
        case indented
        case formula(Formulas.Opening)
        case html(condition: Int)
        case thematicBreak
        case table([MarkdownTable.Alignment?])

        /// Whether lines are added to it as they are.
        var takesLines: Bool {
            switch self {
            case .paragraph, .fenced, .indented, .formula, .html, .table: true
            default: false
            }
        }

        var isParagraph: Bool { if case .paragraph = self { true } else { false } }
    }

    struct Node {
        let id: Int
        var kind: Kind
        let parent: Int
        let line: Int
        var children: [Int] = []
        var isOpen = true
        var text: [UInt8] = []
        /// Whether the last line that belongs to it is blank.
        var endsBlank = false
        /// What the text of a closed paragraph or heading says; the cells of a closed table, line by line.
        var inlines: [MarkdownInline]?
        var cells: [[[MarkdownInline]]]?
        /// Whether a label in it may be defined later.
        var missesLabel = false
    }

    private(set) var nodes: [Node] = [Node(id: -1, kind: .document, parent: -1, line: 0)]
    /// The innermost open block.
    private(set) var tip = 0
    private var made = 0

    subscript(number: Int) -> Node {
        get { nodes[number] }
        _modify { yield &nodes[number] }
    }

    /// The last child of a block, if it is open.
    func openChild(of number: Int) -> Int? {
        nodes[number].children.last.flatMap { nodes[$0].isOpen ? $0 : nil }
    }

    /// How many blocks contain one.
    func depth(of number: Int) -> Int {
        var (depth, number) = (0, number)
        while number > 0 { (depth, number) = (depth + 1, nodes[number].parent) }
        return depth
    }

    mutating func add(_ kind: Kind, to parent: Int, line: Int) -> Int {
        nodes.append(Node(id: made, kind: kind, parent: parent, line: line))
        made += 1
        nodes[parent].children.append(nodes.count - 1)
        tip = nodes.count - 1
        return tip
    }

    /// Marks the innermost open block as closed.
    mutating func closeTip() {
        nodes[tip].isOpen = false
        tip = nodes[tip].parent
    }

    /// Removes the block that was closed last.
    mutating func removeLast(of parent: Int) { nodes[parent].children.removeLast() }

    /// Takes out the closed blocks of the document, each as a tree of its own.
    mutating func takeClosed() -> [BlockTree] {
        let closed = nodes[0].children.filter { !nodes[$0].isOpen }
        guard !closed.isEmpty else { return [] }
        let taken = closed.map { subtree($0) }
        self = subtree(nodes[0].children.last { nodes[$0].isOpen })
        return taken
    }

    /// A document with one of its blocks alone.
    private func subtree(_ number: Int?) -> BlockTree {
        var result = BlockTree()
        result.made = made
        guard let number else { return result }
        func copy(_ number: Int, to parent: Int) {
            let node = nodes[number]
            let new = result.nodes.count
            var copied = Node(id: node.id, kind: node.kind, parent: parent, line: node.line)
            (copied.isOpen, copied.text, copied.endsBlank) = (node.isOpen, node.text, node.endsBlank)
            (copied.inlines, copied.cells, copied.missesLabel) = (node.inlines, node.cells, node.missesLabel)
            result.nodes.append(copied)
            result.nodes[parent].children.append(new)
            if number == tip { result.tip = new }
            for child in node.children { copy(child, to: new) }
        }
        copy(number, to: 0)
        return result
    }

    // MARK: Blocks

    /// The blocks of the document.
    var blocks: [MarkdownBlock] { nodes[0].children.compactMap(block) }

    private func block(_ number: Int) -> MarkdownBlock? {
        let node = nodes[number]
        func made(_ kind: MarkdownBlock.Kind) -> MarkdownBlock { MarkdownBlock(id: node.id, kind: kind) }
        switch node.kind {
        case .document, .item: return nil
        case .quote: return made(.quote(node.children.compactMap(block)))
        case .list(let marker): return made(.list(list(node, marker)))
        case .paragraph:
            // A formula that is displayed by itself needs no paragraph around it.
            if case .formula(let text, isDisplayed: true)? = node.inlines?.first, node.inlines?.count == 1 {
                return made(.formula(text))
            }
            return made(.paragraph(node.inlines ?? []))
        case .formula: return made(.formula(String(decoding: node.text.trimmingWhitespace, as: UTF8.self)))
        case .heading(let level): return made(.heading(level: level, node.inlines ?? []))
        case .fenced(_, let info): return made(.code(info: info, String(decoding: node.text, as: UTF8.self)))
        case .indented:
            return made(.code(info: "", String(decoding: node.text.withoutBlankEnd, as: UTF8.self)))
        case .html: return made(.html(String(decoding: node.text.withoutLineEnds, as: UTF8.self)))
        case .thematicBreak: return made(.thematicBreak)
        case .table(let alignments):
            let rows = node.cells ?? []
            return made(
                .table(MarkdownTable(alignments: alignments, header: rows.first ?? [], rows: Array(rows.dropFirst()))))
        }
    }

    private func list(_ node: Node, _ marker: LineForms.ListMarker) -> MarkdownList {
        let items = node.children.map { number in
            var blocks = nodes[number].children.compactMap(block)
            let isDone = blocks.first?.takeTask()
            if let isDone, let first = blocks.indices.first { blocks[first] = isDone.block }
            return MarkdownList.Item(isDone: isDone?.isDone, blocks: blocks)
        }
        return MarkdownList(start: marker.number, isTight: isTight(node), items: items)
    }

    /// Whether no blank line stands between the items of a list, nor between the blocks of one.
    private func isTight(_ list: Node) -> Bool {
        for item in list.children {
            let isLast = item == list.children.last
            if !isLast, endsWithBlankLine(item) { return false }
            for block in nodes[item].children where !isLast || block != nodes[item].children.last {
                if endsWithBlankLine(block) { return false }
            }
        }
        return true
    }

    private func endsWithBlankLine(_ number: Int) -> Bool {
        var number: Int? = number
        while let current = number {
            if nodes[current].endsBlank { return true }
            switch nodes[current].kind {
            case .list, .item: number = nodes[current].children.last
            default: return false
            }
        }
        return false
    }
}

extension MarkdownBlock {
    /// The state of a task, and the paragraph without its box; nil if it does not begin with one.
    fileprivate func takeTask() -> (isDone: Bool, block: MarkdownBlock)? {
        guard case .paragraph(var inlines) = kind, case .text(let text)? = inlines.first else { return nil }
        let bytes = Array(text.utf8.prefix(4))
        guard bytes.count == 4, bytes[0] == UInt8(ascii: "["), bytes[2] == UInt8(ascii: "]"), bytes[3].isSpace,
            bytes[1] == 0x20 || bytes[1] | 0x20 == UInt8(ascii: "x")
        else { return nil }
        let rest = String(text.dropFirst(4).drop { $0 == " " || $0 == "\t" })
        inlines[0] = .text(rest)
        if rest.isEmpty { inlines.removeFirst() }
        return (bytes[1] != 0x20, MarkdownBlock(id: id, kind: .paragraph(inlines)))
    }
}

extension [UInt8] {
    /// The text of indented code, without the blank lines at its end.
    fileprivate var withoutBlankEnd: [UInt8] {
        var end = count
        while end > 0, self[end - 1].isSpace {
            end -= 1
        }
        // The spaces of the last line that has something else belong to it.
        let line = self[end...].firstIndex(of: 0x0A) ?? count
        return Array(self[..<line]) + [0x0A]
    }

    fileprivate var withoutLineEnds: [UInt8] {
        Array(self[..<((lastIndex { $0 != 0x0A } ?? -1) + 1)])
    }
}
