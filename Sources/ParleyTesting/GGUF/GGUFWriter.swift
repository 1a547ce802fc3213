// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

public import ParleyModelFile

/// Makes model files in the GGUF format, for tests: any metadata and tensors, also invalid ones.
///
/// Nothing is checked, so that tests can write files that a reader must refuse.
///
/// ```swift
/// var writer = GGUFWriter()
/// writer.set("general.architecture", .string("llama"))
/// let zeros = [UInt8](repeating: 0, count: 32)
/// writer.tensors.append(.init(name: "output_norm.weight", typeCode: 0, dimensions: [8], bytes: zeros))
/// try writer.write(to: url)
/// ```
public struct GGUFWriter: Sendable {
    /// A value of the metadata.
    public indirect enum Value: Sendable {
        case uint8(UInt8)
        case int8(Int8)
        case uint16(UInt16)
        case int16(Int16)
        case uint32(UInt32)
        case int32(Int32)
        case float32(Float)
        case bool(Bool)
        case string(String)
        case array(MetadataType, [Value])
        case uint64(UInt64)
        case int64(Int64)
        case float64(Double)
    }

    /// A key and its value.
    public struct Entry: Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: Value

        /// Creates an entry.
        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// A tensor and its data.
    public struct Tensor: Sendable {
        /// The name.
        public var name: String
        /// The number of the type in the format.
        public var typeCode: UInt32
        /// The sizes, the contiguous one first.
        public var dimensions: [Int]
        /// The data, as it is stored.
        public var bytes: [UInt8]

        /// Creates a tensor.
        public init(name: String, typeCode: UInt32, dimensions: [Int], bytes: [UInt8]) {
            self.name = name
            self.typeCode = typeCode
            self.dimensions = dimensions
            self.bytes = bytes
        }
    }

    /// The version of the format.
    public var version: UInt32 = 3
    /// The tensor data and each tensor in it begin at a multiple of this; written to the metadata unless it is 32.
    public var alignment = 32
    /// The metadata, in order.
    public var metadata: [Entry] = []
    /// The tensors, in order.
    public var tensors: [Tensor] = []

    /// Creates a writer of an empty file.
    public init() {}

    /// Sets the value of a key, in the place of an earlier one if there is one.
    public mutating func set(_ key: String, _ value: Value) {
        if let index = metadata.firstIndex(where: { $0.key == key }) {
            metadata[index].value = value
        } else {
            metadata.append(Entry(key, value))
        }
    }

    /// The file's bytes.
    public func encoded() -> [UInt8] {
        encodedWithFields().bytes
    }

    /// Writes the file.
    ///
    /// - Throws: what Foundation throws.
    public func write(to url: URL) throws {
        try Data(encoded()).write(to: url)
    }
}

extension GGUFWriter.Value {
    /// An array of text.
    public static func strings(_ elements: [String]) -> Self { .array(.string, elements.map(Self.string)) }

    /// An array of numbers with a fraction.
    public static func floats(_ elements: [Float]) -> Self { .array(.float32, elements.map(Self.float32)) }

    /// An array of whole numbers.
    public static func integers(_ elements: [Int32]) -> Self { .array(.int32, elements.map(Self.int32)) }

    /// An array of truth values.
    public static func bools(_ elements: [Bool]) -> Self { .array(.bool, elements.map(Self.bool)) }
}
