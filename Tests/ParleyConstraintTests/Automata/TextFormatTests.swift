// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Formats")
struct TextFormatTests {
    @Test(
        "Formats accept what their definitions allow",
        arguments: [
            (
                "date", ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2023-04-30"],
                [
                    "2023-02-29", "1900-02-29", "2024-04-31", "2024-00-01", "2024-13-01", "0000-01-01", "2024-1-1",
                    "24-01-01", "2024-01-32",
                ]
            ),
            (
                "date-time",
                ["2024-02-29T23:59:59Z", "2024-01-01t00:00:00.123456789+14:00", "2024-01-01T00:00:00-00:00"],
                [
                    "2024-02-29", "2024-02-29 12:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29T12:00:00",
                    "2023-02-29T12:00:00Z", "2024-02-29T12:60:00Z",
                ]
            ),
            ("time", ["00:00:00Z", "12:30:45.5+01:00"], ["24:00:00Z", "12:30Z", "12:30:45"]),
            (
                "duration", ["P1D", "PT1H30M", "P1Y2M3DT4H5M6S", "P2W", "PT5S"],
                ["P", "PT", "1D", "P1H", "P1DT", "P1W2D", "PT1H5S"]
            ),
            (
                "uuid", ["3fa85f64-5717-4562-b3fc-2c963f66afa6", "3FA85F64-5717-4562-B3FC-2C963F66AFA6"],
                ["3fa85f64571745 62b3fc2c963f66afa6", "3fa85f64-5717-4562-b3fc-2c963f66afag"]
            ),
            (
                "email",
                ["a@b.co", "first.last+tag@sub.example.org", "a@b", "a.b.c.d.e.f@a.b.c.d.e.f.g"],
                ["@b.co", "a@", "a b@c.de", "a@-b.co", ".a@b.co", "a..b@c.de"]
            ),
            ("hostname", ["a", "xn--bcher-kva.ch", "a.b.c.d.e.f.g"], ["", "-a.org", "a-.org", "a..b", "a_b"]),
            ("ipv4", ["0.0.0.0", "255.255.255.255", "192.0.2.1"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"]),
            (
                "ipv6",
                [
                    "::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:7::", "::ffff:192.0.2.1",
                    "::192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5::192.0.2.1",
                ],
                [
                    "1:2:3:4:5:6:7", ":::", "1::2::3", "12345::", "g::", "::192.0.2", "::256.0.0.1", "192.0.2.1",
                    "1:2:3:4:5:6:7:192.0.2.1", "1:2:3:4:5:6::192.0.2.1",
                ]
            ),
            (
                "uri",
                [
                    "https://example.org/a?b=c#d", "mailto:a@b.co", "urn:isbn:1", "http://[::1]",
                    "http://ada@[2001:db8::1]:8080/a?b#c",
                ],
                [
                    "", "example.org", "//a/b", "http://a b", "1http://a", "http://[::1", "http://[a]", "http://a/[b]",
                    "http://[::1]x",
                ]
            ),
        ])
    func formats(_ format: String, _ valid: [String], _ invalid: [String]) throws {
        let program = try ConstraintProgram(schema: ["type": "string", "format": .string(format)])
        for text in valid { #expect(program.accepts(JSONValue.string(text)), "\(text)") }
        for text in invalid { #expect(!program.accepts(JSONValue.string(text)), "\(text)") }
    }

    @Test("Values that a schema lists are allowed whatever their format")
    func listed() throws {
        let schema: JSONValue = [
            "properties": [
                "mail": ["enum": ["nobody", "a@b.co"], "format": "email"], "day": ["const": "today", "format": "date"],
            ]
        ]
        let program = try ConstraintProgram(schema: schema)
        let validator = try SchemaValidator(schema)
        for value in [["mail": "nobody"], ["mail": "a@b.co"], ["day": "today"]] as [JSONValue] {
            #expect(program.accepts(value), "\(value)")
            #expect(try validator.accepts(value), "\(value)")
        }
        #expect(!program.accepts(["mail": "x@b.co"]))
        let nested = try ConstraintProgram(
            schema: ["enum": [["mail": "nobody"]], "properties": ["mail": ["format": "email"]]])
        #expect(nested.accepts(["mail": "nobody"]))
    }
}
