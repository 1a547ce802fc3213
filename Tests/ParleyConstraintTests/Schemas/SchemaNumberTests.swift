// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Numbers of schemas")
struct SchemaNumberTests {
    /// Whether a text is a reply that a schema allows.
    private func accepts(_ schema: String, _ text: String) throws -> Bool {
        try ConstraintProgram(schema: JSONValue(parsing: schema)).accepts(Array(text.utf8))
    }

    @Test("Integers beyond 64 bits are written as the schema writes them", arguments: ["const", "enum"])
    func large(_ keyword: String) throws {
        for text in ["9223372036854775808", "18446744073709551615", "-9223372036854775809", "0.1000000000000000001"] {
            let schema = keyword == "const" ? #"{"const": \#(text)}"# : #"{"enum": [\#(text), "x"]}"#
            #expect(try accepts(schema, text))
            #expect(try !accepts(schema, "9223372036854775807"))
            #expect(try !accepts(schema, "9.223372036854775808e+18"))
            #expect(try !accepts(schema, "1.8446744073709552e+19"))
            #expect(try ConstraintProgram(schema: JSONValue(parsing: schema)).accepts(JSONValue(parsing: text)))
        }
    }

    @Test("Bounds beyond all numbers that may be written restrict nothing")
    func farBounds() throws {
        #expect(try accepts(#"{"type": "number", "minimum": -1.7e308, "maximum": 1.7e308}"#, "-12.5"))
        #expect(try accepts(#"{"type": "integer", "maximum": 1e30, "not": {"const": 1e40}}"#, "7"))
        #expect(try accepts(#"{"type": "number", "exclusiveMinimum": 0, "not": {"const": 1e-30}}"#, "7"))
    }

    @Test("Integers that doubles do not tell apart are told apart")
    func neighbours() throws {
        let program = try ConstraintProgram(schema: ["enum": [9_007_199_254_740_993]])
        #expect(program.accepts(9_007_199_254_740_993))
        #expect(!program.accepts(9_007_199_254_740_992))
        #expect(try SchemaValidator(["const": 9_007_199_254_740_993]).accepts(9_007_199_254_740_992.0) == false)
        #expect(try SchemaValidator(["minimum": 9_007_199_254_740_993]).accepts(9_007_199_254_740_992) == false)
    }

    @Test(
        "Multiples of fractions are counted in decimals",
        arguments: [
            ("0.01", ["0", "0.01", "1", "0.3", "-7.25", "19.99", "5.0", "0.010"], ["0.001", "19.999", "0.015"]),
            ("1.5", ["0", "3", "4.5", "-1.5", "1.50"], ["1", "2", "1.25", "1.55"]),
            ("0.5", ["0.5", "100", "7.5"], ["0.25", "7.51"]), ("7", ["7", "14", "-21"], ["8", "7.5"]),
        ] as [(String, [String], [String])])
    func multiples(_ divisor: String, _ good: [String], _ bad: [String]) throws {
        let schema = #"{"type": "number", "multipleOf": \#(divisor)}"#
        let validator = try SchemaValidator(JSONValue(parsing: schema))
        for text in good {
            #expect(try accepts(schema, text) || text == "5.0" && divisor == "7", "\(text)")
            #expect(try validator.accepts(JSONValue(parsing: text)), "\(text)")
        }
        for text in bad {
            #expect(try !accepts(schema, text), "\(text)")
            #expect(try !validator.accepts(JSONValue(parsing: text)), "\(text)")
        }
    }

    @Test(
        "Formats of numbers are the ranges of the types that they are named after",
        arguments: [
            ("integer", "uint8", ["0", "255"], ["-1", "256"]), ("integer", "int8", ["-128", "127"], ["-129", "128"]),
            ("integer", "int32", ["-2147483648", "2147483647"], ["2147483648"]),
            ("integer", "uint64", ["18446744073709551615"], ["18446744073709551616", "-1"]),
            ("integer", "int", ["9223372036854775807"], ["9223372036854775808"]),
            ("number", "uint32", ["7", "4294967295"], ["7.5", "4294967296"]),
            ("number", "double", ["1.5", "1e300"], ["x"]), ("number", "float", ["1.5", "-7"], ["1e300"]),
            ("string", "int64", [#""x""#], ["1"]),
        ] as [(String, String, [String], [String])])
    func formats(_ type: String, _ format: String, _ good: [String], _ bad: [String]) throws {
        let schema = #"{"type": "\#(type)", "format": "\#(format)"}"#
        let validator = try SchemaValidator(JSONValue(parsing: schema))
        for text in good {
            #expect(try accepts(schema, text), "\(text)")
            #expect(try validator.accepts(JSONValue(parsing: text)), "\(text)")
        }
        for text in bad {
            #expect(try !accepts(schema, text), "\(text)")
            guard let value = try? JSONValue(parsing: text) else { continue }
            #expect(try !validator.accepts(value), "\(text)")
        }
        #expect(try accepts(#"{"enum": [300], "format": "uint8"}"#, "300"), "formats say nothing of listed values")
    }

    @Test("What is said of a divisor that is not supported is true of it", arguments: ["1024", "3600", "0.1001"])
    func divisors(_ number: String) throws {
        let schema = try JSONValue(parsing: #"{"multipleOf": \#(number)}"#)
        let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: schema) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("at most 1000") == true)
    }

    @Test(
        "Hostile numbers give a program or an error",
        arguments: [
            "-1", "0", "9223372036854775807", "9223372036854775808", "1e30", "1e308", "1e-308", "-1e308", "0.5",
            "123456789012345678901234567890", "1e-400",
        ])
    func hostile(_ number: String) throws {
        let keywords = [
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains",
            "maxContains", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        ]
        for keyword in keywords {
            for rest in ["", #", "pattern": "^a+$""#, #", "items": {"const": 1}"#, #", "properties": {"a": true}"#] {
                for text in [
                    "{\"contains\": true, \"\(keyword)\": \(number)\(rest)}", "{\"not\": {\"\(keyword)\": \(number)}}",
                ] {
                    let schema = try JSONValue(parsing: text)
                    guard let program = try? ConstraintProgram(schema: schema) else { continue }
                    for value: JSONValue in [0, 1, "a", [], [1], [:], ["a": 1]] { _ = program.accepts(value) }
                }
            }
        }
    }
}
