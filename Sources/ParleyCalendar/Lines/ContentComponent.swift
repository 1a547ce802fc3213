// SPDX-License-Identifier: Apache-2.0

/// An item of a stream or component: a line or a nested component.
public enum ContentItem: Hashable, Sendable {
    /// A property, or a line that is not valid.
    case line(ContentLine)
    /// A component, from its `BEGIN` to its `END`.
    case component(ContentComponent)

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .line(let line): bytes += line.bytes
        case .component(let component): component.append(to: &bytes)
        }
    }
}

/// A component of iCalendar or vCard, with its properties and nested components in order.
///
/// Everything that is not changed is written exactly as it was read.
public struct ContentComponent: Hashable, Sendable {
    /// The name in capitals, such as `VEVENT`.
    public let name: String
    /// Properties and nested components, in order.
    public var items: [ContentItem]
    private let begin: ContentLine
    private let end: ContentLine

    /// Creates an empty component.
    ///
    /// - Parameters:
    ///   - name: The name in capitals, such as `VEVENT`.
    ///   - lineEnd: The line end to use.
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

    /// The line end of the component, which is also used for new lines.
    public var lineEnd: [UInt8] { begin.lineEnd.isEmpty ? Array("\r\n".utf8) : begin.lineEnd }

    /// The properties in order, without lines that are not valid.
    public var properties: [ContentLine] {
        items.compactMap { if case .line(let line) = $0, !line.isMalformed { line } else { nil } }
    }

    /// The nested components, in order.
    public var components: [ContentComponent] {
        items.compactMap { if case .component(let component) = $0 { component } else { nil } }
    }

    /// The first property with a name.
    ///
    /// - Parameter key: The name in capitals.
    public subscript(key: String) -> ContentLine? {
        for case .line(let line) in items where line.key == key { return line }
        return nil
    }

    /// All properties with a name, in order.
    ///
    /// - Parameter key: The name in capitals.
    /// - Returns: The properties.
    public func all(_ key: String) -> [ContentLine] {
        properties.filter { $0.key == key }
    }

    /// The nested components with a name, in order.
    ///
    /// - Parameter name: The name in capitals.
    /// - Returns: The components.
    public func components(_ name: String) -> [ContentComponent] {
        components.filter { $0.name == name }
    }

    /// Sets a property, in the place of an existing one with the same name or after the last property.
    ///
    /// Other properties with the name are removed. All other lines keep their bytes.
    ///
    /// - Parameters:
    ///   - key: The name in capitals.
    ///   - value: The value in its escaped form; nil removes the property.
    ///   - parameters: The parameters; nil keeps the existing ones.
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

    /// Adds a property after the last one, before nested components.
    ///
    /// - Parameter line: The property.
    public mutating func add(_ line: ContentLine) {
        let last = items.lastIndex { if case .line(let line) = $0 { !line.isMalformed } else { false } }
        items.insert(.line(line), at: last.map { $0 + 1 } ?? 0)
    }

    /// Adds a nested component at the end.
    ///
    /// - Parameter component: The component.
    public mutating func add(_ component: ContentComponent) {
        items.append(.component(component))
    }

    /// Removes all properties with a name.
    ///
    /// - Parameter key: The name in capitals.
    public mutating func remove(_ key: String) {
        items.removeAll { if case .line(let line) = $0 { line.key == key } else { false } }
    }

    /// The serialised component.
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
    /// The component name in a `BEGIN` or `END` line, in capitals and without surrounding spaces.
    var componentName: String {
        String(value.uppercased().drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
