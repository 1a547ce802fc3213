// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON
import ParleyTemplate
import Testing

@Suite struct TemplateOriginTests {
    static let context: JSONObject = [
        "s": " In Put ", "n": 7, "f": 1.5, "list": ["a", "b"], "dict": ["k": "v", "n": 1], "yes": true, "null": nil,
    ]

    /// Pairs of a template and its output, in which ⟦ and ⟧ enclose what counts as input.
    static let cases: [(String, String)] = [
        ("a{{ 'b' }}{{ s }}c", "ab⟦ In Put ⟧c"),
        ("{{ s|trim }}-{{ s.strip() }}", "⟦In Put⟧-⟦In Put⟧"),
        ("{{ s|upper }}{{ 'x'|upper }}", "⟦ IN PUT ⟧X"),
        ("{{ ('<' ~ s ~ '>')|upper }}", "<⟦ IN PUT ⟧>"),
        ("{{ ('<' + s + '>')[1:4] }}", "⟦ In⟧"),
        ("{{ ('<' + s + '>')[::-1] }}", ">⟦ tuP nI ⟧<"),
        ("{{ ('<' + s + '>').strip('<>') }}", "⟦ In Put ⟧"),
        ("{{ ('<' + s + '>')|replace('P', '|') }}", "<⟦ In ⟧|⟦ut ⟧>"),
        ("{{ 'aXb'|replace('X', s) }}", "a⟦ In Put ⟧b"),
        ("{{ s.split('P') }}", "⟦[' In ', 'ut ']⟧"),
        ("{{ 'a|b'.split('|')[1] }}{{ ('a|' ~ s).split('|')[1] }}", "b⟦ In Put ⟧"),
        ("{{ list|join(', ') }}", "⟦a⟧, ⟦b⟧"),
        ("{{ ', '.join(list) }}", "⟦a⟧, ⟦b⟧"),
        ("{{ [1, s|trim] }}", "[1, ⟦'In Put'⟧]"),
        ("{{ dict }}", "⟦{'k': 'v', 'n': 1}⟧"),
        ("{{ dict|tojson }}", "⟦{\"k\": \"v\", \"n\": 1}⟧"),
        ("{{ {'q': s|trim}|tojson }}", "{\"q\": ⟦\"In Put\"⟧}"),
        ("{{ s|tojson }}{{ 'x'|tojson }}", "⟦\" In Put \"⟧\"x\""),
        ("{{ n }}{{ 7 }}{{ n + 1 }}{{ f }}{{ loop_free }}", "⟦7⟧7⟦81.5⟧"),
        ("{{ s|length }}{{ 'abc'|length }}", "⟦8⟧3"),
        ("{{ '7'|int }}{{ n|string }}{{ '%s-%d' % (s|trim, n) }}", "7⟦7In Put⟧-⟦7⟧"),
        ("{{ '{}-{:>3}'.format(s|trim, n) }}", "⟦In Put⟧-⟦  7⟧"),
        ("{{ s|indent(2, true) }}", "  ⟦ In Put ⟧"),
        ("{{ s|center(10) }}", " ⟦ In Put ⟧ "),
        ("{{ s|e }}{{ ('<' ~ s)|e }}", "⟦ In Put ⟧&lt;⟦ In Put ⟧"),
        ("{{ s|truncate(4, true, '..', 0) }}", "⟦ I⟧.."),
        ("{{ s|default('d') }}{{ none_such|default('d') }}", "⟦ In Put ⟧d"),
        ("{{ yes }}{{ null }}", "⟦TrueNone⟧"),
        ("{% for x in list %}{{ loop.index }}{{ x }}{% endfor %}", "1⟦a⟧2⟦b⟧"),
        ("{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %}", "⟦k⟧=⟦v⟧;⟦n⟧=⟦1⟧;"),
        ("{% for c in 'x' ~ s|trim|first %}{{ c }}{% endfor %}", "x⟦I⟧"),
        ("{% set x %}<{{ s }}>{% endset %}{{ x }}", "<⟦ In Put ⟧>"),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(s) }}", "<⟦ In Put ⟧>"),
        ("{% filter trim %} {{ s }} {% endfilter %}", "⟦In Put⟧"),
        ("{{ s|title }}{{ s|capitalize }}{{ s.title() }}", "⟦ In Put  in put  In Put ⟧"),
        ("{{ s|map('upper')|join }}{{ s|list|last }}", "⟦ IN PUT  ⟧"),
        ("{{ list|sort(reverse=true)|first }}{{ list|max }}{{ dict.k }}{{ dict['k'] }}{{ dict.get('k') }}", "⟦bbvvv⟧"),
        ("{{ s ~ '' == ' In Put ' }}", "⟦True⟧"),
        ("{{ 'x' * n }}{{ s[1] * 2 }}", "xxxxxxx⟦II⟧"),
        ("{{ s|urlencode }}{{ 'a b'|urlencode }}", "⟦%20In%20Put%20⟧a%20b"),
        ("{{ s|wordwrap(3) }}", "⟦ In⟧\n⟦Put⟧"),
        ("{% macro m() %}{{ kwargs|list|first }}{% endmacro %}{{ m(**dict) }}{{ m(a=1) }}", "⟦k⟧a"),
        ("{{ namespace(**{s|trim: 1}) }}", "<Namespace {'⟦In Put⟧': 1}>"),
        ("{{ ('{:' ~ s[1] ~ '>3}').format('a') }}{{ ('{:' ~ s[1] ~ '>3}').format(1) }}", "⟦II⟧a⟦II⟧1"),
    ]

    @Test("Every character keeps its origin", arguments: cases)
    func origins(source: String, expected: String) throws {
        let segments = try ChatTemplate(source: source).render(Self.context)
        let marked = segments.map { $0.origin == .input ? "⟦\($0.text)⟧" : $0.text }.joined()
        #expect(marked == expected)
        for (left, right) in zip(segments, segments.dropFirst()) { #expect(left.origin != right.origin) }
    }
}
