// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The formats of numbers that are enforced: those of OpenAPI, and of generators that name the types of a language.
enum NumberFormat: String, CaseIterable {
    case int8, int16, int32, int64, int
    case uint8, uint16, uint32, uint64, uint
    case float, double

    /// Whether the numbers are integers.
    var isInteger: Bool { self != .float && self != .double }

    /// The lowest and the highest number; nil for doubles, beyond which no number is ever written.
    var bounds: (lowest: JSONValue, highest: JSONValue)? {
        switch self {
        case .int8: Self.bounds(of: Int8.self)
        case .int16: Self.bounds(of: Int16.self)
        case .int32: Self.bounds(of: Int32.self)
        case .int64, .int: Self.bounds(of: Int64.self)
        case .uint8: Self.bounds(of: UInt8.self)
        case .uint16: Self.bounds(of: UInt16.self)
        case .uint32: Self.bounds(of: UInt32.self)
        case .uint64, .uint: Self.bounds(of: UInt64.self)
        case .float: (lowest: .number(-3.4e38), highest: .number(3.4e38))
        case .double: nil
        }
    }

    private static func bounds<Integer: FixedWidthInteger>(
        of type: Integer.Type
    ) -> (lowest: JSONValue, highest: JSONValue) {
        (lowest: JSONValue(Integer.min), highest: JSONValue(Integer.max))
    }
}
