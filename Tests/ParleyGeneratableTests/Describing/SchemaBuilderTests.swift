// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import Parley
import ParleyConstraint
import ParleyJSON
import Testing

@Suite("The schema of a type")
struct SchemaBuilderTests {
    @Test("A value as it is encoded is accepted")
    func acceptsInstances() throws {
        try expect(Everything.sample(), isAccepted: true)
        try expect(Tree(name: "a", children: [Tree(name: "b")]), isAccepted: true)
        try expect(Renamed(first: "x", last: "y"), isAccepted: true)
        try expect(RenamedCases.point(x: 1, y: -1), isAccepted: true)
        try expect(RenamedCases.nowhere, isAccepted: true)
        try expect(Nothing(), isAccepted: true)
        try expect(Everything.Level.high, isAccepted: true)
        try expect([Everything.Mood.sad], isAccepted: true)
    }

    private func expect<T: Generatable & Encodable>(_ value: T, isAccepted: Bool) throws {
        let json = try JSONValue(parsing: value.encoded())
        #expect(try ConstraintProgram(schema: T.jsonSchema.value).accepts(json) == isAccepted, "\(json)")
    }

    @Test(
        "A value with one member changed is refused",
        arguments: [
            ("text", 1), ("flag", "true"), ("default", 1.5), ("small", 128), ("small", -129), ("large", -1),
            ("single", 1e39), ("double", "1"), ("date", "2026-02-30T00:00:00Z"), ("date", "2026-02-03"),
            ("url", "no url"),
            ("url", "http://a:b/c"),
            ("id", "1234"), ("bytes", "AAE"), ("bytes", "AB=="), ("list", [1]), ("map", ["x": true]), ("gaps", [1]),
            ("shape", "none"), ("shape", ["none": 1]), ("shape", ["circle": [:]]),
            ("shape", ["circle": ["radius": "1"]]),
            ("inner", ["level": 3]), ("inner", ["level": "low"]), ("inner", ["level": 1, "extra": 1]), ("others", [:]),
            ("maybe", .null), ("preset", "angry"), ("computed", 1), ("shared", 4),
        ] as [(String, JSONValue)])
    func refusesOthers(name: String, value: JSONValue) throws {
        var json = try JSONValue(parsing: Everything.sample().encoded())
        let program = try ConstraintProgram(schema: Everything.jsonSchema.value)
        #expect(program.accepts(json))
        json[name] = value
        #expect(!program.accepts(json))
    }

    @Test(
        "Every address that is accepted can be read",
        arguments: [
            "https://example.com", "http://a:80/b?c=d#e", "mailto:x@y.z", "file:///tmp/x", "a:/b", "http://",
            "http://a:x",
            "http://a:b@c", "x:", "urn:isbn:1", "http://a?b:c",
        ])
    func addresses(text: String) throws {
        let isAccepted = try ConstraintProgram(schema: URL.jsonSchema.value).accepts(.string(text))
        let url = try? [URL](parsing: JSONValue.array([.string(text)]).text())
        #expect(!isAccepted || url != nil)
        #expect(isAccepted == !["http://a:x", "http://a:b@c", "x:"].contains(text))
    }

    @Test("Only properties that are optional or have a default value may be left out")
    func required() throws {
        let program = try ConstraintProgram(schema: Everything.jsonSchema.value)
        let whole = try JSONValue(parsing: Everything.sample().encoded())
        let optional: Set = ["maybe", "nothing", "preset", "observed", "size"]
        for name in try #require(whole.object).keys {
            var json = whole
            json[name] = nil
            #expect(program.accepts(json) == optional.contains(name), "\(name)")
        }
    }

    @Test("The schema has the descriptions of the type and its properties")
    func descriptions() {
        #expect(Guided.jsonSchema.value["properties"]?["stars"]?["description"] == "One to five")
        #expect(Everything.jsonSchema.value["description"] == "Everything there is")
    }

    @Test("Types that are used once are inlined")
    func inlining() {
        #expect(
            Renamed.jsonSchema.text == """
                {"type":"object","properties":{"first name":{"type":"string"},"last":{"type":"string"}},\
                "required":["first name"],"additionalProperties":false}
                """)
        #expect([Everything.Mood].jsonSchema.value["items"]?["enum"] == ["happy", "SAD"])
    }

    @Test("A type that holds itself is described once")
    func recursion() {
        #expect(Tree.jsonSchema.value["$ref"] == "#/$defs/Tree")
        let tree = Tree.jsonSchema.value["$defs"]?["Tree"]
        #expect(tree?["properties"]?["children"]?["items"] == ["$ref": "#/$defs/Tree"])
    }

    @Test("Types of the same name get names of their own")
    func names() throws {
        let schema = TwoInners.jsonSchema.value
        #expect(schema["$defs"]?["Inner"]?["properties"]?["level"] != nil)
        #expect(schema["$defs"]?["Inner2"]?["properties"]?["other"] != nil)
        #expect(schema["properties"]?["second"]?["$ref"] == "#/$defs/Inner")
        #expect(schema["properties"]?["fourth"]?["items"]?["$ref"] == "#/$defs/Inner2")
    }
}
