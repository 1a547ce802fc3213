// SPDX-License-Identifier: Apache-2.0

/// The pieces of a text while it is read: linked both ways, so that those between two marks become the content of a new
/// one without being moved.
struct InlineNodes {
    enum Kind {
        case text([UInt8])
        /// A piece that is as it will be.
        case done(MarkdownInline)
        case emphasis, strong, strikethrough
        case link(LinkDefinitions.Target)
        /// An address that the text has without any mark, and its text: no link within a link.
        case bareLink(destination: String, String)
        case image(LinkDefinitions.Target)
    }

    private struct Node {
        var kind: Kind
        var previous: Int?
        var next: Int?
        var first: Int?
        /// How many levels of pieces it has.
        var depth = 1
    }

    /// The most levels of pieces within each other; marks beyond are text.
    static let deepest = 64

    private var nodes: [Node] = []
    private(set) var first: Int?
    private var last: Int?

    /// Adds a piece at the end.
    @discardableResult
    mutating func append(_ kind: Kind) -> Int {
        nodes.append(Node(kind: kind, previous: last))
        if let last { nodes[last].next = nodes.count - 1 } else { first = nodes.count - 1 }
        last = nodes.count - 1
        return nodes.count - 1
    }

    /// Replaces the text of a piece.
    mutating func setText(_ bytes: [UInt8], of node: Int) { nodes[node].kind = .text(bytes) }

    /// Removes the spaces at the end of a line.
    ///
    /// - Returns: how many there were behind the last tab.
    mutating func trimLast() -> Int {
        guard let last, case .text(var bytes) = nodes[last].kind else { return 0 }
        let count = bytes.reversed().prefix { $0 == 0x20 }.count
        while bytes.last?.isSpaceOrTab == true { bytes.removeLast() }
        nodes[last].kind = .text(bytes)
        return count
    }

    mutating func remove(_ node: Int) {
        let (previous, next) = (nodes[node].previous, nodes[node].next)
        if let previous { nodes[previous].next = next } else if first == node { first = next }
        if let next { nodes[next].previous = previous } else if last == node { last = previous }
    }

    /// Makes the pieces between two ones, or behind the first one to the end, the content of a new piece in their place.
    ///
    /// - Returns: whether it was done; not if the new piece had too many levels.
    mutating func wrap(after opener: Int, before closer: Int?, as kind: Kind) -> Bool {
        let start = nodes[opener].next
        var depth = 0
        var index = start
        while let node = index, node != closer, depth < Self.deepest {
            depth = max(depth, nodes[node].depth)
            index = nodes[node].next
        }
        guard depth < Self.deepest else {
            // What is around this piece is around the others too, and need not look at them again.
            nodes[opener].depth = Self.deepest
            return false
        }
        var new = Node(kind: kind, previous: opener, next: closer)
        new.depth = depth + 1
        if let start, start != closer {
            new.first = start
            nodes[start].previous = nil
            let end = closer.flatMap { nodes[$0].previous } ?? last
            if let end { nodes[end].next = nil }
        }
        nodes.append(new)
        nodes[opener].next = nodes.count - 1
        if let closer { nodes[closer].previous = nodes.count - 1 } else { last = nodes.count - 1 }
        return true
    }

    /// The pieces from one on, as they are for others.
    func inlines(from start: Int?, isInLink: Bool = false) -> [MarkdownInline] {
        var result: [MarkdownInline] = []
        var text: [UInt8] = []
        func flush() {
            if !text.isEmpty { result.append(.text(String(decoding: text, as: UTF8.self))) }
            text = []
        }
        var index = start
        while let number = index {
            let node = nodes[number]
            index = node.next
            if case .text(let bytes) = node.kind {
                text += bytes
                continue
            }
            if case .bareLink(_, let address) = node.kind, isInLink {
                text += address.utf8
                continue
            }
            flush()
            let inner = isInLink || { if case .link = node.kind { true } else { false } }()
            let parts = inlines(from: node.first, isInLink: inner)
            switch node.kind {
            case .text: break
            case .done(let inline): result.append(inline)
            case .emphasis: result.append(.emphasis(parts))
            case .strong: result.append(.strong(parts))
            case .strikethrough: result.append(.strikethrough(parts))
            case .bareLink(let destination, let address):
                result.append(.link(destination: destination, title: nil, [.text(address)]))
            case .link(let target):
                result.append(.link(destination: target.destination, title: target.title, parts))
            case .image(let target):
                result.append(.image(source: target.destination, title: target.title, parts))
            }
        }
        flush()
        return result
    }
}
