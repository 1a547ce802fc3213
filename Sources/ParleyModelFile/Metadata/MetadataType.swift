// SPDX-License-Identifier: Apache-2.0

/// The types of metadata values, with their numbers in the GGUF format.
///
/// See <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.
public enum MetadataType: UInt32, Sendable, Hashable, CaseIterable {
    case uint8 = 0
    case int8 = 1
    case uint16 = 2
    case int16 = 3
    case uint32 = 4
    case int32 = 5
    case float32 = 6
    case bool = 7
    case string = 8
    case array = 9
    case uint64 = 10
    case int64 = 11
    case float64 = 12

    /// The size of a value in bytes; nil for strings and arrays, whose size varies.
    public var byteCount: Int? {
        switch self {
        case .uint8, .int8, .bool: 1
        case .uint16, .int16: 2
        case .uint32, .int32, .float32: 4
        case .uint64, .int64, .float64: 8
        case .string, .array: nil
        }
    }
}
