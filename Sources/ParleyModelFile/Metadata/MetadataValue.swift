// SPDX-License-Identifier: Apache-2.0

/// A value of a file's metadata: its type and its place in the file.
///
/// Nothing is decoded before an accessor is called, so a vocabulary of a million strings costs nothing to hold. A value
/// keeps its file open. Each accessor returns nil where the value is of another kind, and where it is longer than any
/// that a model needs; the accessors of ``Metadata`` throw instead and say what is wrong.
public struct MetadataValue: Sendable {
    /// The type of the value.
    public let type: MetadataType
    /// The type of an array's elements; nil for everything else.
    public let elementType: MetadataType?
    /// The number of an array's elements; 1 for everything else.
    public let count: Int
    /// The bytes of the value, without the header of an array or the length of a string.
    let range: Range<Int>
    let file: FileBytes

    /// The most bytes of a text that is decoded. The longest that models need are templates, of some ten thousand.
    static let longestText = 1 << 20
    /// The most elements of an array that is decoded. The largest vocabularies have a quarter of a million.
    static let mostElements = 1 << 21
    /// The most bytes of an array that is decoded. The merges of the largest vocabularies have some ten million.
    static let longestArray = 64 << 20

    /// Whether the value is short enough to be decoded into memory; files may contain anything.
    var isDecodable: Bool {
        elementType == nil
            ? range.count <= Self.longestText : count <= Self.mostElements && range.count <= Self.longestArray
    }

    /// The value as text; bytes that are not UTF-8 become U+FFFD.
    public var string: String? {
        type == .string && isDecodable ? text(upTo: Self.longestText) : nil
    }

    /// The beginning of a text, for display; nil for values of another kind.
    public var label: String? {
        type == .string ? text(upTo: Self.longestLabel) : nil
    }

    /// The most bytes of a label.
    private static let longestLabel = 1_024

    /// The text up to so many bytes, without an incomplete character at the end.
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

    /// The value as a whole number, whatever its width, if it fits.
    public var integer: Int? {
        elementType == nil ? integers(ofType: type)?.first : nil
    }

    /// The value as a whole number that is not negative, if it is one and fits.
    public var unsigned: Int? {
        integer.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The value as a number with a fraction.
    public var float: Float? {
        elementType == nil ? floats(ofType: type)?.first : nil
    }

    /// The value as a truth value.
    public var bool: Bool? {
        elementType == nil ? bools(ofType: type)?.first : nil
    }

    /// The elements as whole numbers, if they are such and fit.
    public var integers: [Int]? {
        elementType.flatMap(integers(ofType:))
    }

    /// The elements as numbers with a fraction.
    public var floats: [Float]? {
        elementType.flatMap(floats(ofType:))
    }

    /// The elements as truth values.
    public var bools: [Bool]? {
        elementType.flatMap(bools(ofType:))
    }

    /// The elements as text; bytes that are not UTF-8 become U+FFFD.
    public var strings: [String]? {
        guard elementType == .string, isDecodable else { return nil }
        var strings: [String] = []
        strings.reserveCapacity(count)
        forEachString { strings.append($0) }
        return strings
    }
}

extension MetadataValue: CustomStringConvertible {
    /// The value, cut if it is a long text; for an array its type and number of elements.
    public var description: String {
        if let elementType { return "[\(count) × \(elementType)]" }
        if let label { return label }
        if let integer { return "\(integer)" }
        if let float { return "\(float)" }
        if let bool { return "\(bool)" }
        return "\(type)"
    }

    /// The beginning of the description, with control characters escaped for terminals.
    var excerpt: String {
        String(reflecting: String(description.unicodeScalars.prefix(40)))
    }

    /// The value with its first elements alone, where they have a fixed size.
    func prefix(_ length: Int) -> MetadataValue {
        guard let size = elementType?.byteCount, length < count else { return self }
        let kept = max(length, 0)
        return MetadataValue(
            type: type, elementType: elementType, count: kept,
            range: range.lowerBound..<(range.lowerBound + kept * size), file: file)
    }
}
