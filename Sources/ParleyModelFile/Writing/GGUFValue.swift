// SPDX-License-Identifier: Apache-2.0

/// A value of the metadata of a file that is written.
package indirect enum GGUFValue: Sendable {
    case uint8(UInt8)
    case int8(Int8)
    case uint16(UInt16)
    case int16(Int16)
    case uint32(UInt32)
    case int32(Int32)
    case float32(Float)
    case bool(Bool)
    case string(String)
    case array(MetadataType, [GGUFValue])
    case uint64(UInt64)
    case int64(Int64)
    case float64(Double)
    // Vocabularies are long, and take less memory so than as arrays of values.
    case strings([String])
    case integers([Int32])
    case floats([Float])
    case bools([Bool])
    /// The value of another file, as it is there.
    case stored(MetadataValue)

    /// The type of the value in a file.
    var type: MetadataType {
        switch self {
        case .uint8: .uint8
        case .int8: .int8
        case .uint16: .uint16
        case .int16: .int16
        case .uint32: .uint32
        case .int32: .int32
        case .float32: .float32
        case .bool: .bool
        case .string: .string
        case .array, .strings, .integers, .floats, .bools: .array
        case .stored(let value): value.type
        case .uint64: .uint64
        case .int64: .int64
        case .float64: .float64
        }
    }
}

/// An entry of the metadata of a file that is written.
package struct GGUFEntry: Sendable {
    /// The key.
    package var key: String
    /// The value.
    package var value: GGUFValue

    /// Creates an entry.
    package init(_ key: String, _ value: GGUFValue) {
        self.key = key
        self.value = value
    }
}
