// SPDX-License-Identifier: Apache-2.0

/// What stands in a stream or a component: a line, or a component with its own lines.
public enum ContentItem: Hashable, Sendable {
    /// A property, or a line that breaks the grammar.
    case line(ContentLine)
    /// What stands between a `BEGIN` and its `END`.
    case component(ContentComponent)

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .line(let line): bytes += line.bytes
        case .component(let component): component.append(to: &bytes)
        }
    }
}

/// A component of iCalendar or vCard: its properties and inner components in their order.
///
/// Whatever is not changed is written as it was read, byte for byte.
public struct ContentComponent: Hashable, Sendable {
    /// The name in capitals, such as `VEVENT`.
    public let name: String
    /// Properties and inner components in their order.
    public var items: [ContentItem]
    private let begin: ContentLine
    private let end: ContentLine

    /// Makes an empty component.
    ///
    /// - Parameters:
    ///   - name: The name in capitals, such as `VEVENT`.
    ///   - lineEnd: What ends its lines.
    public init(_ name: String, lineEnd: [UInt8] = Array("\r\n".utf8)) {
        self.init(
            begin: ContentLine("BEGIN", name, lineEnd: lineEnd), items: [],
            end: ContentLine("END", name, lineEnd: lineEnd))
    }

    init(begin: ContentLine, items: [ContentItem], end: ContentLine) {
        name = begin.componentName
        self.items = items
        self.begin = begin
        self.end = end
    }

    /// What ends the component's lines, which new ones end with too.
    public var lineEnd: [UInt8] { begin.lineEnd.isEmpty ? Array("\r\n".utf8) : begin.lineEnd }

    /// The properties in their order, without lines that break the grammar.
    public var properties: [ContentLine] {
        items.compactMap { if case .line(let line) = $0, !line.isMalformed { line } else { nil } }
    }

    /// The inner components in their order.
    public var components: [ContentComponent] {
        items.compactMap { if case .component(let component) = $0 { component } else { nil } }
    }

    /// The first property of a name.
    ///
    /// - Parameter key: The name in capitals.
    public subscript(key: String) -> ContentLine? {
        for case .line(let line) in items where line.key == key { return line }
        return nil
    }

    /// All properties of a name in their order.
    ///
    /// - Parameter key: The name in capitals.
    /// - Returns: The properties.
    public func all(_ key: String) -> [ContentLine] {
        properties.filter { $0.key == key }
    }

    /// The inner components of a name in their order.
    ///
    /// - Parameter name: The name in capitals.
    /// - Returns: The components.
    public func components(_ name: String) -> [ContentComponent] {
        components.filter { $0.name == name }
    }

    /// Sets the one property of a name: in its place where there is one, else behind the last property.
    ///
    /// Further properties of the name are removed. All other lines keep their bytes.
    ///
    /// - Parameters:
    ///   - key: The name in capitals.
    ///   - value: The value as written, with its escapes; nil removes the property.
    ///   - parameters: The parameters; nil keeps those that are there.
    public mutating func set(_ key: String, _ value: String?, parameters: [ContentParameter]? = nil) {
        guard let value else { return remove(key) }
        let index = items.firstIndex { if case .line(let line) = $0 { line.key == key } else { false } }
        guard let index, case .line(let line) = items[index] else {
            return add(ContentLine(key, value, parameters: parameters ?? [], lineEnd: lineEnd))
        }
        items[index] = .line(line.replacing(value: value, parameters: parameters ?? line.parameters))
        let rest = items[(index + 1)...].filter { if case .line(let line) = $0 { line.key != key } else { true } }
        items.replaceSubrange((index + 1)..., with: rest)
    }

    /// Adds a property behind the last one, before inner components.
    ///
    /// - Parameter line: The property.
    public mutating func add(_ line: ContentLine) {
        let last = items.lastIndex { if case .line(let line) = $0 { !line.isMalformed } else { false } }
        items.insert(.line(line), at: last.map { $0 + 1 } ?? 0)
    }

    /// Adds an inner component at the end.
    ///
    /// - Parameter component: The component.
    public mutating func add(_ component: ContentComponent) {
        items.append(.component(component))
    }

    /// Removes all properties of a name.
    ///
    /// - Parameter key: The name in capitals.
    public mutating func remove(_ key: String) {
        items.removeAll { if case .line(let line) = $0 { line.key == key } else { false } }
    }

    /// The component as it is written.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) {
        bytes += begin.bytes
        for item in items { item.append(to: &bytes) }
        bytes += end.bytes
    }
}

extension ContentLine {
    /// The name that a `BEGIN` or `END` bears, in capitals and without spaces around it.
    var componentName: String {
        String(value.uppercased().drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
