// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyRuntime
import ParleyTemplate
import ParleyTestSupport
import Testing

@Suite struct TemplateFuzzTests {
    static let pieces = [
        "{{", "}}", "{%", "%}", "{#", "#}", "-", "+", "|", "(", ")", "[", "]", "{", "}", "'", "\"", "\\", ".", ",", ":",
        " if ", " else ", " for ", " in ", " is ", " not ", " and ", "{% endif %}", "{% endfor %}", "{% set x = ", "~",
        "*", "**", "%", "//", "0", "9223372036854775807", "1e308", "none", "loop", "loop.index", "namespace", "x.y",
        "|tojson", "|join", "|length", "|sort", "|first", "\n", "  ", "é", "\u{0}", "😀", "{% raw %}", "{% endraw %}",
    ]
    static let limits = TemplateLimits(steps: 20_000, outputBytes: 1 << 16, memoryBytes: 1 << 22)

    @Test("No change to a snippet crashes the interpreter or makes it run without end")
    func snippets() throws {
        let context = try #require(try References.json(References.goldens.appending(path: "context.json")).object)
        let record = try References.json(References.goldens.appending(path: "snippets.json"))
        let sources = try #require(record["cases"]?.array).compactMap { $0["template"]?.string }
        try fuzz(sources, rounds: 20, context: context)
    }

    @Test(
        "No change to a model's template crashes the interpreter or makes it run without end",
        .enabled(if: References.hasTemplates, References.hint))
    func templates() throws {
        let inputs = try References.json(References.goldens.appending(path: "conversations.json"))
        let contexts = try #require(inputs["conversations"]?.array).compactMap { $0["context"]?.object }
        try #require(!contexts.isEmpty)
        let files = try FileManager.default.contentsOfDirectory(atPath: References.templates.path).sorted()
        let sources = try files.filter { $0.hasSuffix(".jinja") }.map {
            try String(contentsOf: References.templates.appending(path: $0), encoding: .utf8)
        }
        for (index, context) in contexts.enumerated() {
            try fuzz(sources, rounds: 2, context: context, seed: UInt64(index))
        }
    }

    @Test("No change to the input crashes the interpreter")
    func inputs() throws {
        var random = SplitMix64(seed: 3)
        let values: [JSONValue] = [
            nil, true, 0, -1, 1.5, "", "x", "é😀\n", [], [nil], [["a"]], [:], ["role": 1], ["content": ["type": "text"]],
            .integer(.max), .integer(.min), .number(1e308),
        ]
        let sources = [
            "{% for m in messages %}{{ m.role|upper }}{{ m['content']|trim }}{{ m|tojson }}{% endfor %}",
            "{{ messages[0].content[1:] ~ messages|length }}{{ messages|map(attribute='role')|join(',') }}",
            "{{ messages|selectattr('role', 'in', ['a'])|list }}{{ messages|sort }}{{ messages|sum }}{{ messages * 2 }}",
            "{{ '%s %d' % messages }}{{ '{} {:d}'.format(messages, messages) }}{{ messages|round(messages) }}",
        ]
        for source in sources {
            let template = try ChatTemplate(source: source, limits: Self.limits)
            for _ in 0..<500 {
                let messages = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    JSONValue.object([
                        "role": values.randomElement(using: &random) ?? nil,
                        "content": values.randomElement(using: &random) ?? nil,
                    ])
                }
                let any = values.randomElement(using: &random) ?? nil
                _ = try? template.render(["messages": Bool.random(using: &random) ? .array(messages) : any])
            }
        }
    }

    private func fuzz(_ sources: [String], rounds: Int, context: JSONObject, seed: UInt64 = 1) throws {
        try #require(!sources.isEmpty)
        var random = SplitMix64(seed: seed)
        for source in sources {
            for _ in 0..<rounds {
                var scalars = Array(source.unicodeScalars)
                for _ in 0...Int.random(in: 0..<4, using: &random) {
                    let place = Int.random(in: 0...scalars.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0:
                        let piece = Self.pieces.randomElement(using: &random) ?? ""
                        scalars.insert(contentsOf: piece.unicodeScalars, at: place)
                    case 1:
                        scalars.removeSubrange(
                            place..<min(place + Int.random(in: 1..<8, using: &random), scalars.count))
                    case 2:
                        let part = scalars[place..<min(place + Int.random(in: 1..<40, using: &random), scalars.count)]
                        scalars.insert(contentsOf: part, at: Int.random(in: 0...scalars.count, using: &random))
                    default: scalars = Array(scalars[..<place])
                    }
                }
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                _ = try? ChatTemplate(source: String(text), limits: Self.limits).render(context)
            }
        }
    }
}
