// SPDX-License-Identifier: Apache-2.0

/// A size in bytes, from 0 to 1 PiB (2^50), which is more than any file, disk or memory in question has.
///
/// It is used for every size from outside: numbers in files, listings and manifests, HTTP headers, environment
/// variables. Values outside the range cannot be created, and sums, differences and products are clamped to it, so that
/// arithmetic with sizes never overflows. A sum that has reached the limit never fits; see ``fits(into:)``.
public struct ByteSize: Sendable, Hashable {
    /// The number of bytes, from 0 to 2^50.
    public let bytes: Int64

    /// Zero bytes.
    public static let zero = ByteSize(clamping: 0)
    /// The largest size, 1 PiB.
    public static let limit = ByteSize(clamping: largest)
    private static let largest: Int64 = 1 << 50

    /// Creates a size; nil if the number is out of range.
    public init?(exactly count: some BinaryInteger) {
        guard let bytes = Int64(exactly: count), (0...Self.largest).contains(bytes) else { return nil }
        self.bytes = bytes
    }

    /// Creates a size from a number, clamped to the range.
    public init(clamping count: some BinaryInteger) {
        bytes = min(max(Int64(clamping: count), 0), Self.largest)
    }

    /// The number of bytes as an `Int`.
    public var count: Int { Int(bytes) }

    /// Whether the size is at most `room` bytes; false for the limit, which may stand for a larger sum.
    public func fits(into room: Int) -> Bool { self < .limit && count <= room }
}

extension ByteSize: Comparable {
    /// Whether the left size is the smaller one.
    public static func < (left: ByteSize, right: ByteSize) -> Bool { left.bytes < right.bytes }

    /// The sum, at most the limit.
    public static func + (left: ByteSize, right: ByteSize) -> ByteSize {
        ByteSize(clamping: left.bytes + right.bytes)
    }

    /// The difference, or zero if the right size is larger.
    public static func - (left: ByteSize, right: ByteSize) -> ByteSize {
        ByteSize(clamping: left.bytes - right.bytes)
    }

    /// The product, at most the limit; zero for negative factors.
    public static func * (left: ByteSize, right: Int) -> ByteSize {
        let (product, overflow) = left.bytes.multipliedReportingOverflow(by: Int64(max(right, 0)))
        return overflow ? limit : ByteSize(clamping: product)
    }

    /// Adds a size to another, up to the limit.
    public static func += (left: inout ByteSize, right: ByteSize) {
        left = left + right
    }
}

extension ByteSize: ExpressibleByIntegerLiteral {
    /// Creates a size from an integer literal, clamped to the range.
    public init(integerLiteral value: Int64) {
        self.init(clamping: value)
    }
}

extension ByteSize: Codable {
    /// Decodes a number of bytes.
    ///
    /// - Throws: `DecodingError` if the number is out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try container.decode(Int64.self)
        guard let size = ByteSize(exactly: number) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(number) bytes are no size of anything.")
        }
        self = size
    }

    /// Encodes the number of bytes.
    ///
    /// - Throws: the encoder's error, if any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}

extension ByteSize: CustomStringConvertible {
    /// Parses a size such as `500000`, `500MB`, `20 GB` or `1.5 GiB`; a letter alone, as in `20G`, means the decimal
    /// unit.
    public init?(_ text: String) {
        let text = text.lowercased().filter { $0 != " " }
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let factors: [String: Double] = [
            "": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1_024, "m": 1e6, "mb": 1e6, "mib": 1_048_576, "g": 1e9,
            "gb": 1e9, "gib": 1_073_741_824, "t": 1e12, "tb": 1e12, "tib": 1_099_511_627_776,
        ]
        guard let value = Double(number), let factor = factors[String(text.dropFirst(number.count))],
            let bytes = Int64(exactly: (value * factor).rounded())
        else { return nil }
        self.init(exactly: bytes)
    }

    /// Parses a size that consists of digits alone, as in HTTP headers.
    public init?(digits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int64(text) else {
            return nil
        }
        self.init(exactly: bytes)
    }

    /// The size in decimal units, such as `98 MB` or `2.1 GB`: so users are told sizes of files and of memory alike.
    public var description: String {
        if bytes >= 1_000_000_000 {
            let tenths = (bytes + 50_000_000) / 100_000_000
            return "\(tenths / 10).\(tenths % 10) GB"
        }
        if bytes >= 1_000_000 { return "\((bytes + 500_000) / 1_000_000) MB" }
        return bytes >= 1_000 ? "\((bytes + 500) / 1_000) kB" : "\(bytes) B"
    }
}
