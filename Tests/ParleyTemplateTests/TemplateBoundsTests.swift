// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import ParleyTestSupport
import ParleyTesting
import Testing

/// The result of a rendering: its outcome, its maximum memory, and the memory left afterwards.
struct Measurement: Sendable {
    var code: TemplateError.Code?
    var segments: [TemplateSegment] = []
    var mostBytes = 0
    var leftBytes = 0

    /// Renders on this thread, which alone is measured.
    init(
        _ source: String, _ context: JSONObject = [:], limits: TemplateLimits = .standard,
        options: RenderingOptions = References.options
    ) {
        parley_thread_bytes_begin()
        do throws(TemplateError) {
            segments = try ChatTemplate(source: source, limits: limits).render(context, options: options)
        } catch {
            code = error.code
        }
        var left = 0
        mostBytes = parley_thread_bytes_end(&left)
        leftBytes = left
    }

    /// The memory that rendering may use according to the documentation of the limits.
    static func allowedBytes(_ context: JSONObject) -> Int {
        (64 << 20) + 2 * JSONValue.object(context).inputByteCount
    }
}

@Suite struct TemplateBoundsTests {
    /// Templates that would create text or work before it is charged; all are refused for the same two reasons.
    static let refused: [String] = [
        "{{ ('{0}'*4000).format('a'*1000000) }}",
        "{{ ('{0:>999999}'*4000).format('a') }}",
        "{{ ('%(a)s'*4000) % {'a':'a'*1000000} }}",
        "{{ ('%999999s'*4000) % (('a',) * 4000) }}",
        "{{ ('a'*2000)|wordwrap(1, wrapstring='x'*1000000) }}",
        "{{ range(4000)|list|tojson(separators=['x'*1000000,':']) }}",
        "{{ dict.fromkeys }}{{ range(4000)|list|tojson(indent='x'*1000000) }}",
        "{{ range(4000)|join('x'*1000000) }}",
        "{{ ('x'*1000000).join(range(4000)|map('string')) }}",
        "{{ ('a'*4000)|replace('a', 'x'*1000000) }}",
        "{{ ('a'*4000).replace('', 'x'*1000000) }}",
        "{{ ('\\n'*4000)|indent('x'*1000000, true, true) }}",
        "{{ ('\\t'*4000).expandtabs(1000000) }}",
        "{{ ('<'*16000000)|e }}",
        "{{ ('é'*8000000)|urlencode }}",
        "{{ ['\\u200b'*8000000] }}",
        "{{ ('\\x01'*8000000)|tojson }}",
        "{{ ('é '*8000000)[::-1] ~ ('é '*8000000).swapcase() }}",
        "{{ strftime_now('%c'*8000000) }}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ 'c' in big }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ {}[big] }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ {big: 1}|length }}{% endfor %}",
        "{% set big = ('ab' * 1000000,) %}{% for i in range(99999) %}{{ {}[big] }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ big == 'a' ~ big[1:] }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ big < 'a' ~ big[1:] }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ big.startswith(big ~ '') }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ big.rfind('c') }}{{ big.count('c') }}{% endfor %}",
        "{% set big = 'ab' * 1000000 %}{% for i in range(99999) %}{{ (big|wordwrap(1))[0] }}{% endfor %}",
        "{% set big = ' ' * 1000000 %}{% for i in range(99999) %}{{ big|trim }}{{ big.split() }}{% endfor %}",
        "{% set big = 'é' * 1000000 %}{% for i in range(99999) %}{{ big[999999] }}{{ big|length }}{% endfor %}",
        "{% set big = '猫' * 1000000 %}{% for i in range(99999) %}{{ big.isalpha() }}{{ big is upper }}{% endfor %}",
        "{% set l = range(99999)|list %}{% for i in range(99999) %}{{ l.count(-1) }}{{ l.index(99998) }}{% endfor %}",
        "{% set l = range(9999)|list %}{% for i in range(99999) %}{{ l|sort|unique|list|length }}{% endfor %}",
        "{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = ns.l + [namespace()] %}{% endfor %}"
            + "{% for i in range(99999) %}{{ ns.l|unique|list|length }}{% endfor %}",
        "{% for i in range(99999) %}{{ '%.1000f' % 1e300 }}{{ 1.7e308|round(300) }}{% endfor %}",
        "{% for i in range(99999) %}{{ strftime_now('%c') }}{{ ('1_' * 2000 ~ '5')|int(base=16) }}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% set x = namespace(a=1) %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}"
            + "{% set ns.y = [1] %}{% for i in range(99) %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
        "{% set ns = namespace(x=(1,)) %}{% for i in range(99) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}",
        "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [none] * 999999 %}{% endfor %}",
        "{% for i in range(99999) %}{% macro m() %}{{ m }}{% endmacro %}{% endfor %}",
    ]

    @Test(
        "Hostile templates are refused before they create or read too much, within 64 MB",
        .enabled(if: parley_allocations_counted(), "allocations are counted on Linux with glibc only"),
        arguments: refused)
    func refusals(source: String) {
        // A tenth of the steps, to save time; the memory that they can use is not smaller.
        let measured = Measurement(source, limits: TemplateLimits(steps: 200_000))
        #expect(measured.code == .tooManySteps || measured.code == .valueTooLarge || measured.code == .outputTooLong)
        #expect(measured.mostBytes < 64 << 20, "\(measured.mostBytes)")
        #expect(measured.leftBytes < 1 << 16, "\(measured.leftBytes)")
    }

    @Test(
        "A template of the maximum length takes little memory in addition to its values",
        .enabled(if: parley_allocations_counted(), "allocations are counted on Linux with glibc only"),
        arguments: ["a.b,", "a<a,", "'',", "-1,", "a|b,", "a(),"])
    func sources(part: String) {
        let source = "{{ [" + String(repeating: part, count: ((1 << 18) - 10) / part.utf8.count) + "] }}"
        let measured = Measurement(source)
        #expect(measured.code == .valueTooLarge)
        #expect(measured.mostBytes < 24 << 20, "\(measured.mostBytes)")
    }

    @Test("A namespace that contains itself is printed as Python prints it")
    func cycles() throws {
        let cases = [
            ("{% set ns.a = [ns] %}{{ ns }}", "<Namespace {'a': [<Namespace {...}>]}>"),
            ("{% set ns.a = ns %}{{ [ns] }}", "[<Namespace {'a': <Namespace {...}>}>]"),
            ("{% set ns.a = {'k': (ns, 1)} %}{{ ns.a }}", "{'k': (<Namespace {'a': {...}}>, 1)}"),
            ("{% set ns.a = [ns] %}{{ ns.a == ns.a }}{{ ns.a == [ns] }}{{ ns in ns.a }}", "TrueTrueTrue"),
            ("{% set ns.a = [ns] %}{{ [ns.a]|unique|list|length if 0 else {ns: 1}[ns] }}", "1"),
        ]
        for (source, expected) in cases {
            let text = try? ChatTemplate(source: "{% set ns = namespace() %}" + source).renderText([:])
            // Python abbreviates the dictionary that is being printed, this implementation the namespace.
            #expect(text == expected.replacing("{'a': {...}}", with: "{'a': {'k': (<Namespace {...}>, 1)}}"))
        }
    }

    @Test("A chain of namespaces cannot exhaust the stack when it is printed")
    func chain() {
        let source = """
            {% set ns = namespace(x='') %}{% for i in range(200) %}{% set ns.x = namespace(x=[[ns.x]]) %}{% endfor %}{{ ns }}
            """
        #expect(Measurement(source).code == .tooDeep)
    }

    static let cyclic: [String] = [
        "{% for x in [1, 2] %}{{ loop.changed(loop) }}{% endfor %}",
        "{% set ns = namespace() %}{% set ns.a = [ns, {'n': ns}] %}",
        "{% set ns = namespace() %}{% macro m() %}{{ ns }}{% endmacro %}{% set ns.m = m %}",
        "{% for x in [1] %}{% macro m() %}{{ loop }}{{ m }}{% endmacro %}{% set n = m %}{% endfor %}",
        "{% macro m() %}{{ caller(m, caller) }}{% endmacro %}{% call(a, b) m() %}{% set c = [a, b] %}{% endcall %}",
        "{% set ns = namespace() %}{% set ns.c = cycler(ns, [ns]) %}{{ ns.c.next() is defined }}",
        "{% set ns = namespace() %}{% for x in [[ns]] recursive %}{% set ns.l = loop %}{{ loop.cycle(loop) is defined }}{% endfor %}",
        "{% set ns = namespace() %}{% for x in [1, 2] if loop is undefined %}{% set ns.f = loop.cycle %}{% set ns.g = [loop] %}{% endfor %}",
        "{% set ns = namespace() %}{% set ns.g = [ns]|map('string') %}{% set ns.h = [ns]|select %}{% set ns.j = joiner('x' * 9999) %}",
        "{% set ns = namespace(x='a' * 999999) %}{% set ns.self = ns %}{{ 1 / 0 }}",
        "{% set ns = namespace() %}{% for i in range(9999) %}{% set ns.x = namespace(x=ns.x) %}{% endfor %}",
    ]

    @Test(
        "All memory of a rendering is released, whatever reference cycles it created",
        .enabled(if: parley_allocations_counted(), "allocations are counted on Linux with glibc only"),
        arguments: cyclic)
    func leaks(source: String) throws {
        let template = try ChatTemplate(source: source)
        _ = try? template.render([:])
        parley_thread_bytes_begin()
        for _ in 0..<20 { _ = try? template.render([:]) }
        var left = 0
        _ = parley_thread_bytes_end(&left)
        #expect(left < 1 << 10, "\(left)")
    }

    @Test("A rendering ends when its task is cancelled, and at its deadline")
    func interruption() async {
        let endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
        let late = RenderingOptions(deadline: .now - .seconds(1))
        #expect(Measurement("x", options: late).code == .timedOut)
        let code = await Task {
            // The clock is asked in the middle of the rendering.
            let options = RenderingOptions(now: {
                withUnsafeCurrentTask { $0?.cancel() }
                return Date()
            })
            return Measurement("{{ strftime_now('%Y') }}" + endless, options: options).code
        }.value
        #expect(code == .cancelled)
        #expect(Measurement(endless).code == .tooManySteps)
    }
}
