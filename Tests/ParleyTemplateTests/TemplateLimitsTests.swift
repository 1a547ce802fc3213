// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import Testing

@Suite struct TemplateLimitsTests {
    static func repeated(_ text: String, _ count: Int = 5000) -> String { String(repeating: text, count: count) }

    /// Templates constructed to exhaust the stack, the memory or the time.
    static let hostile: [String] = [
        // Nesting in the source.
        "{{ " + repeated("(") + "1" + repeated(")") + " }}",
        "{{ " + repeated("[") + repeated("]") + " }}",
        "{{ " + repeated("{1:") + "1" + repeated("}") + " }}",
        "{{ " + repeated("- ") + "1 }}",
        "{{ " + repeated("not ") + "1 }}",
        "{{ 1 " + repeated("+ 1 ") + "}}",
        "{{ 1 " + repeated("** 1 ") + "}}",
        "{{ 1 " + repeated("and 1 ") + "}}",
        "{{ 1 " + repeated("if 1 else 1 ") + "}}",
        "{{ x" + repeated("|upper") + " }}",
        "{{ x" + repeated(".a") + " }}",
        "{{ x" + repeated("[0]") + " }}",
        "{{ x" + repeated("()") + " }}",
        "{{ x" + repeated("[x") + repeated("]") + " }}",
        "{{ x" + repeated("(x") + repeated(")") + " }}",
        "{{ x" + repeated("|f(x") + repeated(")") + " }}",
        "{{ x" + repeated(" is in [x") + repeated("]") + " }}",
        repeated("{% if 1 %}") + repeated("{% endif %}"),
        repeated("{% for x in [1] %}") + repeated("{% endfor %}"),
        repeated("{% set x %}") + repeated("{% endset %}"),
        repeated("{% macro m() %}") + repeated("{% endmacro %}"),
        repeated("{% filter upper %}") + repeated("{% endfilter %}"),
        "{% set " + repeated("(") + "a" + repeated(")") + " = 1 %}",
        // Recursion.
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% if 1 %}{% for x in [1] %}{{ [m()] ~ '' }}{% endfor %}{% endif %}{% endmacro %}{{ m() }}",
        "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{{ caller() }}{% endmacro %}{{ m() }}",
        "{% macro m(x=m()) %}{% endmacro %}{{ m() }}",
        "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% set ns = namespace() %}{% macro m() %}{{ [1]|map('string')|join(ns.m()) }}{% endmacro %}{% set ns.m = m %}{{ m() }}",
        // Values that grow.
        "{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=1) %}{% for i in range(100000) %}{% set ns.x = {'a': ns.x} %}{% endfor %}",
        "{% set ns = namespace(x=1) %}{% for i in range(100000) %}{% set ns.x = (ns.x,) %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(1000) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=(1,)) %}{% for i in range(1000) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(1000) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(1000) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% set ns = namespace(x=2) %}{% for i in range(1000) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
        "{% set ns = namespace(x='a') %}{% for i in range(1000) %}{% set ns.x = ns.x|replace('a', 'aa') %}{% endfor %}",
        "{% set ns = namespace(x='a') %}{% for i in range(1000) %}{% set ns.x = ns.x.join([ns.x, ns.x]) %}{% endfor %}",
        "{% set ns = namespace(x='\\'') %}{% for i in range(1000) %}{% set ns.x = [ns.x]|string %}{% endfor %}",
        "{{ 'a' * 9223372036854775807 }}", "{{ [1] * 9223372036854775807 }}", "{{ 'ab' * 4611686018427387905 }}",
        "{{ 'a' * 1000000000 }}", "{{ [0] * 1000000000 }}", "{{ 2 ** 1000000 }}", "{{ 10 ** 10 ** 10 }}",
        "{{ '%999999999d' % 1 }}", "{{ '%*d' % (999999999, 1) }}", "{{ '{:999999999}'.format(1) }}",
        "{{ '%.999999999f' % 1 }}", "{{ 'a'.center(999999999) }}", "{{ 'a'.zfill(9223372036854775807) }}",
        "{{ '\\t'.expandtabs(999999999) }}", "{{ 'a\\nb'|indent(999999999) }}", "{{ 'a'|center(9223372036854775807) }}",
        "{{ [1]|batch(999999999, 0)|list }}", "{{ [1]|slice(999999999)|list }}", "{{ 1|tojson(indent=999999999) }}",
        "{{ range(-9223372036854775807, 9223372036854775807) }}",
        "{{ range(9, 0, -9223372036854775807 - 1)|list }}{{ x.y }}",
        "{{ 'abc'[9223372036854775807:] }}{{ 'abc'[-9223372036854775807 - 1:] }}{{ 'abc'[::9223372036854775807] }}{{ 'abc'[::-9223372036854775807 - 1] }}{{ x.y }}",
        "{{ -9223372036854775807 - 2 }}", "{{ (-9223372036854775807 - 1) // -1 }}",
        "{{ (-9223372036854775807 - 1)|abs }}",
        "{{ -(-9223372036854775807 - 1) }}", "{{ 1e300|int }}",
        "{{ 'x'|truncate(9223372036854775807, leeway=9223372036854775807) }}{{ x.y }}",
        "{{ 1.5|round(9223372036854775807) }}{{ 1|round(-9223372036854775807) }}{{ x.y }}",
        // Work.
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% for a in range(99999) %}{{ 'aaaaaaaaaaaaaaaaaaaa' * 100 }}{% endfor %}",
        "{% set s = 'a' * 1000000 %}{% for a in range(99999) %}{{ (s ~ 'b') in s }}{% endfor %}",
        "{% set s = range(99999)|list %}{% for a in range(99999) %}{{ -1 in s }}{% endfor %}",
        "{% set s = range(99999)|list %}{% set t = range(99999)|list %}{% for a in range(99999) %}{{ s == t }}{% endfor %}",
        "{% set s = range(99999)|list %}{% for a in range(99999) %}{{ s|sort|first }}{% endfor %}",
        "{% set s = 'a b ' * 10000 %}{% for a in range(99999) %}{{ s.split()|length }}{{ s|wordcount }}{% endfor %}",
    ]

    /// The standard limits are generous; a test need not reach them.
    static let limits = TemplateLimits(steps: 300_000, memoryBytes: 8 << 20)

    @Test("A hostile template is refused with an error, quickly and on a small stack", arguments: hostile.indices)
    func hostileTemplates(index: Int) throws {
        let source = Self.hostile[index]
        let error = onSmallStack { () -> TemplateError? in
            do throws(TemplateError) {
                _ = try ChatTemplate(source: source, limits: Self.limits).render([:])
                return nil
            } catch {
                return error
            }
        }
        #expect(error != nil, "\(source.prefix(100))")
    }

    @Test("Values of the maximum depth can be used and released on a small stack")
    func deepest() {
        let sources = [
            "{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(20) }}",
            "{% set ns = namespace(x=[]) %}{% for i in range(150) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}{{ ns.x|tojson }}{{ ns.x == [ns.x] }}",
            "{{ 1 " + Self.repeated("+ 1", 150) + " }}",
            "{{ 'x'" + Self.repeated("|upper", 150) + " }}",
            "{{ " + Self.repeated("[", 60) + Self.repeated("]", 60) + " }}",
            Self.repeated("{% if 1 %}", 60) + Self.repeated("{% endif %}", 60),
            Self.repeated("{% for x in [1] %}", 60) + Self.repeated("{% endfor %}", 60),
        ]
        for source in sources {
            let error = onSmallStack { () -> TemplateError? in
                do throws(TemplateError) {
                    _ = try ChatTemplate(source: source).render([:])
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error == nil, "\(source.prefix(100))")
        }
    }

    @Test("Long chains through namespaces, macros and loops are released without recursion")
    func release() throws {
        let sources = [
            "{% set ns = namespace() %}{% for i in range(50000) %}{% set ns.x = namespace(x=ns.x) %}{% endfor %}",
            "{% set ns = namespace(f=none) %}{% for i in range(20000) %}{% macro m() %}{{ i }}{% endmacro %}{% set g = ns.f %}{% set ns.f = m %}{% endfor %}",
            "{% set ns = namespace(n=none) %}{% set ns.n = ns %}{{ ns }}",
        ]
        for source in sources {
            onSmallStack { #expect(throws: Never.self) { try ChatTemplate(source: source).render([:]) } }
        }
    }

    @Test("Every limit has a code of its own")
    func codes() {
        let codes: [(String, TemplateLimits, TemplateError.Code)] = [
            ("{{ 1 }}{{ 2 }}", TemplateLimits(steps: 3), .tooManySteps),
            ("{{ 'abc' }}d", TemplateLimits(outputBytes: 3), .outputTooLong),
            ("{{ 'abc' * 300 }}", TemplateLimits(memoryBytes: 1000), .valueTooLarge),
            ("{{ [1, 2, 3] * 30 }}", TemplateLimits(memoryBytes: 2000), .valueTooLarge),
            ("{{ [[[[1]]]] }}", TemplateLimits(depth: 3), .tooDeep),
            ("{{ 1 }}", TemplateLimits(sourceBytes: 3), .valueTooLarge),
        ]
        for (source, limits, code) in codes {
            let error = #expect(throws: TemplateError.self) {
                try ChatTemplate(source: source, limits: limits).render([:])
            }
            #expect(error?.code == code, "\(source)")
        }
    }

    @Test("A context nested too deeply is refused")
    func deepContext() throws {
        var value: JSONValue = 1
        for _ in 0..<200 { value = .array([value]) }
        let error = #expect(throws: TemplateError.self) { try ChatTemplate(source: "").render(["x": value]) }
        #expect(error?.code == .tooDeep)
    }

    /// Runs on a thread with the stack that Apple's systems give to threads that are not the main one.
    private func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let box = ResultBox<Result>()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            box.result = body()
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        guard let result = box.result else { preconditionFailure("the thread has ended") }
        return result
    }
}

/// Written by the thread before it signals and read after that.
private final class ResultBox<Result>: @unchecked Sendable {
    var result: Result?
}
