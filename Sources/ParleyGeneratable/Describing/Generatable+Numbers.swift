// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

extension Generatable where Self: FixedWidthInteger {
    /// Describes an integer in the range of the type.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        var schema = JSONSchema.integer().value
        schema["minimum"] = JSONValue(min)
        schema["maximum"] = JSONValue(max)
        return JSONSchema(schema)
    }
}

extension Int8: Generatable {}
extension Int16: Generatable {}
extension Int32: Generatable {}
extension Int64: Generatable {}
extension Int: Generatable {}
extension UInt8: Generatable {}
extension UInt16: Generatable {}
extension UInt32: Generatable {}
extension UInt64: Generatable {}
extension UInt: Generatable {}

extension Double: Generatable {
    /// Describes a number.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema { .number() }
}

extension Float: Generatable {
    /// Describes a number in the range of the type.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        .number(minimum: -3.4e38, maximum: 3.4e38)
    }
}

extension Bool: Generatable {
    /// Describes `true` or `false`.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema { .boolean() }
}
