// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The kinds of values, integers apart from the numbers between them.
struct JSONKinds: OptionSet, Hashable {
    let rawValue: UInt8

    static let null = JSONKinds(rawValue: 1)
    static let boolean = JSONKinds(rawValue: 2)
    static let integer = JSONKinds(rawValue: 4)
    static let fraction = JSONKinds(rawValue: 8)
    static let string = JSONKinds(rawValue: 16)
    static let array = JSONKinds(rawValue: 32)
    static let object = JSONKinds(rawValue: 64)
    static let number: JSONKinds = [.integer, .fraction]
    static let all: JSONKinds = [.null, .boolean, .number, .string, .array, .object]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The kind of a value.
    init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool: .boolean
            case .integer: .integer
            case .number(let number): number.rounded() == number ? .integer : .fraction
            case .decimal(let decimal): DecimalDigits(decimal.text).isInteger ? .integer : .fraction
            case .string: .string
            case .array: .array
            case .object: .object
            }
    }

    /// The kinds that a name in `type` stands for.
    init?(named name: String) {
        switch name {
        case "null": self = .null
        case "boolean": self = .boolean
        case "integer": self = .integer
        case "number": self = .number
        case "string": self = .string
        case "array": self = .array
        case "object": self = .object
        default: return nil
        }
    }
}
