// SPDX-License-Identifier: Apache-2.0

/// A value of a file's metadata, represented by its type and its location in the file.
///
/// A value is decoded only when an accessor is called, so that even a vocabulary of a million strings takes no memory.
/// A value keeps its file open. Accessors return nil if the value is of another type, or longer than any model needs;
/// the accessors of ``Metadata`` throw an error instead that says what is wrong.
public struct MetadataValue: Sendable {
    /// The type of the value.
    public let type: MetadataType
    /// The type of an array's elements; nil if the value is not an array.
    public let elementType: MetadataType?
    /// The number of an array's elements; 1 if the value is not an array.
    public let count: Int
    /// The location of the value's bytes in the file, without an array's header or a string's length.
    let range: Range<Int>
    let file: FileBytes

    /// The maximum size in bytes of a string that is decoded; the longest strings of real models are chat templates of
    /// tens of thousands of bytes.
    static let longestText = 1 << 20
    /// The maximum number of elements in an array that is decoded; the largest vocabularies have 250,000 tokens.
    static let mostElements = 1 << 21
    /// The maximum size in bytes of an array that is decoded; the merges of the largest vocabularies have about 10 MB.
    static let longestArray = 64 << 20

    /// Whether the value is short enough to be decoded; a limit is needed because a file may contain anything.
    var isDecodable: Bool {
        elementType == nil
            ? range.count <= Self.longestText : count <= Self.mostElements && range.count <= Self.longestArray
    }

    /// The value as a string, in which invalid UTF-8 is replaced by U+FFFD; nil for values of another type.
    public var string: String? {
        type == .string && isDecodable ? text(upTo: Self.longestText) : nil
    }

    /// The value as a string for display, cut after 1,024 bytes; nil for values of another type.
    public var label: String? {
        type == .string ? text(upTo: Self.longestLabel) : nil
    }

    /// The maximum length of a label in bytes.
    private static let longestLabel = 1_024

    /// The first `count` bytes of the string, without an incomplete character at the end.
    private func text(upTo count: Int) -> String {
        file.withUnsafeBytes { bytes in
            var text = bytes[range].prefix(count)
            if text.count < range.count {
                while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
                if let last = text.last, last >= 0x80 { text.removeLast() }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// The value as an integer, whatever its width; nil for values of another type or out of the range of `Int`.
    public var integer: Int? {
        elementType == nil ? integers(ofType: type)?.first : nil
    }

    /// The value as a non-negative integer; nil for all other values.
    public var unsigned: Int? {
        integer.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The value as a floating-point number; nil for values of another type.
    public var float: Float? {
        elementType == nil ? floats(ofType: type)?.first : nil
    }

    /// The value as a Boolean; nil for values of another type.
    public var bool: Bool? {
        elementType == nil ? bools(ofType: type)?.first : nil
    }

    /// The elements as integers; nil if they are of another type or one does not fit.
    public var integers: [Int]? {
        elementType.flatMap(integers(ofType:))
    }

    /// The elements as floating-point numbers; nil if they are of another type.
    public var floats: [Float]? {
        elementType.flatMap(floats(ofType:))
    }

    /// The elements as Booleans; nil if they are of another type.
    public var bools: [Bool]? {
        elementType.flatMap(bools(ofType:))
    }

    /// The elements as strings, in which invalid UTF-8 is replaced by U+FFFD; nil if they are of another type.
    public var strings: [String]? {
        guard elementType == .string, isDecodable else { return nil }
        var strings: [String] = []
        strings.reserveCapacity(count)
        forEachString { strings.append($0) }
        return strings
    }
}

extension MetadataValue: CustomStringConvertible {
    /// The value, shortened if it is a long string; for an array, its element type and number of elements.
    public var description: String {
        if let elementType { return "[\(count) × \(elementType)]" }
        if let label { return label }
        if let integer { return "\(integer)" }
        if let float { return "\(float)" }
        if let bool { return "\(bool)" }
        return "\(type)"
    }

    /// The beginning of the description, with control characters escaped so that it is safe to print in a terminal.
    var excerpt: String {
        String(reflecting: String(description.unicodeScalars.prefix(40)))
    }

    /// The first elements of the array; the whole value if its elements have no fixed size or there are fewer.
    func prefix(_ length: Int) -> MetadataValue {
        guard let size = elementType?.byteCount, length < count else { return self }
        let kept = max(length, 0)
        return MetadataValue(
            type: type, elementType: elementType, count: kept,
            range: range.lowerBound..<(range.lowerBound + kept * size), file: file)
    }
}
