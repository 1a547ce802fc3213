// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON
import ParleyTemplate
import Testing

@Suite struct TemplateErrorTests {
    static let cases: [(String, TemplateError.Code, Int, String?)] = [
        ("a\n{% if x %}", .invalidSyntax, 2, nil),
        ("a\n\n{{ 1 + }}", .invalidSyntax, 3, nil),
        ("{# a\nb #}{% nope %}", .invalidSyntax, 2, nil),
        ("{% raw %}\n\n{% endraw %}\n{{ @ }}", .invalidSyntax, 4, nil),
        ("\n{{ x|nope }}", .unsupported, 2, "filter 'nope'"),
        ("\n{{ x is nope }}", .unsupported, 2, "test 'nope'"),
        ("{% include 'x' %}", .unsupported, 1, "include"),
        ("{{ 1 }}\n{{\n x.y.z }}", .undefinedValue, 3, "attribute 'y'"),
        ("{% for i in 5 %}\n{% endfor %}", .wrongType, 1, "for"),
        ("{% for i in [1] %}\n  {{ 'a' + i }}\n{% endfor %}", .wrongType, 2, "operator '+'"),
        ("{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}\n\n{{ m() }}", .invalidValue, 2, "operator '/'"),
        ("\n{{ [].append(1) }}", .forbidden, 2, "call of 'append'"),
        ("{{ 'x'.index('y') }}", .invalidValue, 1, "call of 'index'"),
        ("{% set a.b = 1 %}", .wrongType, 1, "set"),
        ("{{ 99999999999999999999 }}", .invalidSyntax, 1, nil),
        ("{{ 9223372036854775807 + 1 }}", .valueTooLarge, 1, "operator '+'"),
    ]

    @Test("An error names its kind, the line and the construct", arguments: cases)
    func errors(source: String, code: TemplateError.Code, line: Int, construct: String?) {
        let error = #expect(throws: TemplateError.self) { try ChatTemplate(source: source).render([:]) }
        #expect(error?.code == code)
        #expect(error?.line == line)
        #expect(error?.construct == construct)
    }

    @Test("No error quotes the input")
    func privacy() {
        let context: JSONObject = ["m": ["content": "secret"], "k": "secret", "l": ["secret"]]
        let sources = [
            "{{ m[k].x }}", "{{ m.content() }}", "{{ m.content + 1 }}", "{{ k|int + m }}", "{{ m.nope[k] }}",
            "{{ {}[k].x }}", "{{ '%d' % k }}", "{{ '{:d}'.format(k) }}", "{{ l.index(1) }}", "{{ k.index('x') }}",
            "{{ [][k].x }}", "{{ k % (1, 2) }}", "{{ m|map(k)|list }}",
        ]
        for source in sources {
            let error = #expect(throws: TemplateError.self) { try ChatTemplate(source: source).render(context) }
            #expect(error?.description.contains("secret") == false, "\(source): \(error?.description ?? "")")
        }
    }
}
