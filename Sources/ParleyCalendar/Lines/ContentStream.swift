// SPDX-License-Identifier: Apache-2.0

/// A stream of components, such as the contents of a file with calendars or contacts.
///
/// Everything that is not changed is written exactly as it was read.
public struct ContentStream: Hashable, Sendable {
    /// The components and the lines between them, which have no meaning, in order.
    public var items: [ContentItem]

    /// Creates an empty stream.
    public init() { items = [] }

    /// Reads a stream.
    ///
    /// Lines that are not valid are kept but otherwise ignored. Line ends may be CRLF or LF.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes; a byte-order mark is kept.
    ///   - limits: The limits on the size of the stream.
    /// - Throws: ``CalendarError`` with code `tooLarge`, `tooDeep` or `unbalanced`, and the line.
    public init(
        reading bytes: some Collection<UInt8>, limits: ContentLimits = ContentLimits()
    ) throws(CalendarError) {
        guard bytes.count <= limits.bytes else {
            throw CalendarError(.tooLarge, "The stream has \(bytes.count) bytes; the limit is \(limits.bytes).")
        }
        var reader = ContentReader(bytes: Array(bytes), limits: limits)
        items = try reader.read()
    }

    /// The components, in order.
    public var components: [ContentComponent] {
        items.compactMap { if case .component(let component) = $0 { component } else { nil } }
    }

    /// The serialised stream.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for item in items { item.append(to: &bytes) }
        return bytes
    }
}

/// Reads lines and assembles components from them.
private struct ContentReader {
    private struct Open {
        var begin: ContentLine
        var line: Int
        var items: [ContentItem] = []
        var properties = 0
    }

    let bytes: [UInt8]
    let limits: ContentLimits
    private var position = 0
    private var nextLine = 1

    init(bytes: [UInt8], limits: ContentLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func read() throws(CalendarError) -> [ContentItem] {
        var top: [ContentItem] = []
        var open: [Open] = []
        var count = 0
        while let (line, number) = readLine() {
            count += 1
            guard count <= limits.lines else {
                throw CalendarError(.tooLarge, "There are more than \(limits.lines) lines.", line: number)
            }
            var item = ContentItem.line(line)
            switch line.key {
            case "BEGIN":
                guard open.count < limits.depth else {
                    throw CalendarError(
                        .tooDeep, "Components are nested deeper than \(limits.depth).", line: number)
                }
                open.append(Open(begin: line, line: number))
                continue
            case "END":
                guard let last = open.popLast() else {
                    throw CalendarError(.unbalanced, "An END stands without its BEGIN.", line: number)
                }
                guard last.begin.componentName == line.componentName else {
                    throw CalendarError(
                        .unbalanced, "The component that begins in line \(last.line) ends under another name.",
                        line: number)
                }
                item = .component(ContentComponent(begin: last.begin, items: last.items, end: line))
            default: break
            }
            guard !open.isEmpty else {
                top.append(item)
                continue
            }
            open[open.count - 1].items.append(item)
            open[open.count - 1].properties += 1
            guard open[open.count - 1].properties <= limits.properties || line.key == "END" else {
                throw CalendarError(
                    .tooLarge, "A component has more than \(limits.properties) properties.", line: number)
            }
        }
        if let last = open.last {
            throw CalendarError(.unbalanced, "A component begins and does not end.", line: last.line)
        }
        return top
    }

    /// Reads the next line with its folds, and returns it with its number.
    private mutating func readLine() -> (ContentLine, Int)? {
        guard position < bytes.count else { return nil }
        let start = position
        let number = nextLine
        repeat {
            let end = bytes[position...].firstIndex(of: LineFolding.lineFeed) ?? bytes.count - 1
            position = end + 1
            nextLine += 1
        } while position < bytes.count && (bytes[position] == LineFolding.space || bytes[position] == LineFolding.tab)
        return (ContentLine(bytes: Array(bytes[start..<position])), number)
    }
}
