// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import ParleyTestSupport
import Testing

/// Tests that all kinds of steps take about the same time. Machines differ, and this one may be busy, so the processor
/// time of a hostile template is compared with that of a plain one, measured at the same moment.
@Suite struct TemplateTimeTests {
    private static let plain = "{% set a = [1, 'a' ~ 'b'] %}"

    /// The text before the loop, and the body of the loop.
    static let hostile: [(String, String)] = [
        ("", "{% set _ = '%.3f' % 1.7e308 %}"),
        ("", "{% set _ = '{:.2f}'.format(1.7e308) %}"),
        ("", "{% set _ = 1.7e308|round %}"),
        ("", "{% set _ = 1.7e308 % 3e-300 %}"),
        ("", "{% set _ = '1.5'|float %}"),
        ("", "{% set _ = 1e300|string ~ 5e-324|tojson %}"),
        ("", "{% set _ = '<a>'|striptags %}"),
        ("{% set t = 'ab' * 9999 %}", "{% set _ = t.islower() %}"),
        ("{% set t = 'ab' * 9999 %}", "{% set _ = t.isidentifier() %}"),
        ("{% set t = 'Σ' * 9999 %}", "{% set _ = t|lower %}"),
        ("{% set t = '😀' * 9999 %}", "{% set _ = t|tojson(ensure_ascii=true) %}"),
        ("{% set d = dict(range(2000)|map('string')|batch(2)|list) %}", "{% set _ = d.keys() %}"),
        ("{% set r = range(2000)|batch(2)|list %}", "{% set _ = r == r[:] %}"),
        ("{% set \(name) = 1 %}", "{% set _ = \(name) %}"),
    ]

    private static let name = String(repeating: "é", count: 120)

    /// Keys that a hash of parts of them could not tell apart.
    static let alike: [String] = [
        "[i].count", "{'a': i}.get", "(i ~ '').upper", "range(0, 4 * (i + 1), i + 1)", "'nan'|float", "('nan'|float,)",
        "('a' * i, 'a' * (400 - i))", "((),) * i", "(i, 8)", "(namespace(),)", "-i", "i / 7", "'a' * i",
    ]

    @Test("No step takes several times as long as another", arguments: hostile)
    func steps(setup: String, body: String) throws {
        #expect(try slowness(setup, body) < 4)
    }

    @Test("The time of key lookups does not depend on what keys have in common", arguments: alike)
    func keys(key: String) throws {
        let setup = """
            {% set ns = namespace(k=[]) %}{% for i in range(400) %}{% set ns.k = ns.k + [\(key)] %}{% endfor %}\
            {% set k = ns.k %}
            """
        #expect(try slowness(setup, "{% set _ = k|unique|list %}") < 4)
    }

    @Test("Keys are equal where they are in Python")
    func equality() throws {
        let cases = [
            ("{{ {1: 'a', 1.0: 'b', true: 'c'} }}", "{1: 'c'}"),
            ("{{ [(1, 2), (1.0, true + 1)]|unique|list|length }}", "1"),
            ("{{ [('a', 'bc'), ('ab', 'c'), ((),), ((), ())]|unique|list|length }}", "4"),
            ("{{ [range(3), range(0, 3), range(0, 4, 2), range(0, 3, 2)]|unique|list|length }}", "2"),
            ("{{ ['nan'|float, 'nan'|float]|unique|list|length }}", "1"),
            ("{{ ('nan'|float) == ('nan'|float) }}", "False"),
            ("{% set l = [1] %}{{ l.count == l.count }}{{ l.count == [1].count }}", "TrueFalse"),
            ("{% set d = {} %}{{ {d.get: 1}[d.get] }}{{ {d.get: 1}[{}.get] is defined }}", "1False"),
            ("{{ {'a'.upper: 1}['a'.upper] }}", "1"),
        ]
        for (source, expected) in cases {
            #expect(try ChatTemplate(source: source).renderText([:]) == expected, "\(source)")
        }
    }

    @Test("Input increases the limit of steps, so that long conversations can be rendered")
    func growth() throws {
        let source = "{% for m in messages %}{% for i in range(m.n) %}{% endfor %}{% endfor %}"
        let template = try ChatTemplate(source: source, limits: TemplateLimits(steps: 5000))
        func code(_ text: String) -> TemplateError.Code? {
            let message: JSONValue = ["n": 3000, "content": .string(text)]
            do throws(TemplateError) {
                _ = try template.render(["messages": [message]])
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("") == .tooManySteps)
        #expect(code(String(repeating: "a", count: 1 << 20)) == nil)
    }

    /// The time of a step, relative to a step of the plain template.
    private func slowness(_ setup: String, _ body: String) throws -> Double {
        var best = Double.infinity
        for _ in 0..<5 {
            best = min(best, try seconds(setup, body) / seconds("", Self.plain))
            if best < 2 { break }
        }
        return best
    }

    /// The processor time of as many steps as a template may take here.
    private func seconds(_ setup: String, _ body: String) throws -> Double {
        let loop = "{% for i in range(9999) %}{% for j in range(9999) %}\(body){% endfor %}{% endfor %}"
        let template = try ChatTemplate(source: setup + loop, limits: TemplateLimits(steps: 100_000))
        return processorSeconds { _ = #expect(throws: TemplateError.self) { try template.render([:]) } }
    }
}
