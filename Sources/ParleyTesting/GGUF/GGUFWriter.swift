// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

public import ParleyModelFile

/// Creates model files in the GGUF format for tests, with any metadata and tensors.
///
/// Nothing is checked, so that tests can also create files that a reader must reject.
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

    /// A key of the metadata with its value.
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

    /// A tensor with its data.
    public struct Tensor: Sendable {
        /// The tensor's name.
        public var name: String
        /// The number of its type in the GGUF format.
        public var typeCode: UInt32
        /// The dimensions, with the contiguous one first.
        public var dimensions: [Int]
        /// The data in its stored form.
        public var bytes: [UInt8]

        /// Creates a tensor.
        public init(name: String, typeCode: UInt32, dimensions: [Int], bytes: [UInt8]) {
            self.name = name
            self.typeCode = typeCode
            self.dimensions = dimensions
            self.bytes = bytes
        }
    }

    /// The version of the GGUF format.
    public var version: UInt32 = 3
    /// The tensor data, and each tensor in it, begin at a multiple of this many bytes; the metadata states it unless it
    /// is 32.
    public var alignment = 32
    /// The metadata, in order.
    public var metadata: [Entry] = []
    /// The tensors, in order.
    public var tensors: [Tensor] = []

    /// Creates a writer without metadata and tensors.
    public init() {}

    /// Sets the value of a key, replacing an earlier value.
    public mutating func set(_ key: String, _ value: Value) {
        if let index = metadata.firstIndex(where: { $0.key == key }) {
            metadata[index].value = value
        } else {
            metadata.append(Entry(key, value))
        }
    }

    /// The bytes of the file.
    public func encoded() -> [UInt8] {
        encodedWithFields().bytes
    }

    /// Writes the file.
    ///
    /// - Throws: errors from Foundation.
    public func write(to url: URL) throws {
        try Data(encoded()).write(to: url)
    }
}

extension GGUFWriter.Value {
    /// An array of strings.
    public static func strings(_ elements: [String]) -> Self { .array(.string, elements.map(Self.string)) }

    /// An array of 32-bit floating-point numbers.
    public static func floats(_ elements: [Float]) -> Self { .array(.float32, elements.map(Self.float32)) }

    /// An array of 32-bit integers.
    public static func integers(_ elements: [Int32]) -> Self { .array(.int32, elements.map(Self.int32)) }

    /// An array of Booleans.
    public static func bools(_ elements: [Bool]) -> Self { .array(.bool, elements.map(Self.bool)) }
}
