// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import Foundation
import OrderedCollections
import ParleyJSON
import ParleyRuntime
import ParleyTemplate
import ParleyTesting

/// Templates made by the language's grammar, or by changing real ones, over conversations with hostile input: they
/// render the same twice, within their limits and in bounded memory, and nothing that came from the input counts as
/// written by the template.
struct TemplateFuzz: FuzzSubject {
    static let name = "templates"

    /// Stands in every text of the input and in no template. It has no case, and printing leaves it as it is.
    private static let sentinel: Unicode.Scalar = "㐂"
    private static let steps = 20_000
    private static let limits = TemplateLimits(steps: steps, outputBytes: 1 << 18, memoryBytes: 4 << 20)

    private let sources: [[UInt8]]

    init() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let given = ProcessInfo.processInfo.environment["PARLEY_REFERENCES"].map { URL(filePath: $0) }
        let folder = (given ?? package.appending(path: ".build/references")).appending(path: "templates")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let found = files.sorted().filter { $0.hasSuffix(".jinja") }.compactMap { file in
            try? Data(contentsOf: folder.appending(path: file))
        }
        sources = Self.builtIn.map { Array($0.utf8) } + found.map { Array($0) }
    }

    func run(_ random: inout SplitMix64) throws {
        var grammar = TemplateGrammar(random: random)
        let source: String
        if grammar.random.oneIn(4) {
            let bytes = grammar.random.mutated(
                grammar.random.pick(sources), changes: 6, with: TemplateGrammar.pieces)
            source = String(decoding: bytes, as: UTF8.self)
        } else {
            source = grammar.template()
        }
        let context = grammar.context(Self.sentinel)
        random = grammar.random
        guard !source.unicodeScalars.contains(Self.sentinel),
            let template = try? ChatTemplate(source: source, limits: Self.limits)
        else { return }
        parley_thread_bytes_begin()
        let first = Result { try render(template, context) }
        var left = 0
        let held = parley_thread_bytes_end(&left)
        // As `TemplateLimits` has it: 64 MB where the limit is 40, and twice the input.
        let mostHeld = (24 << 20) + Self.limits.memoryBytes + 2 * JSONValue.object(context).inputByteCount
        guard held <= mostHeld else { throw FuzzFailure("\(held) bytes of memory for \(mostHeld): \(source)") }
        let second = Result { try render(template, context) }
        switch (first, second) {
        case (.success(let first), .success(let second)):
            guard first == second else { throw FuzzFailure("Two renderings differ: \(source)") }
            let isAlternating = zip(first, first.dropFirst()).allSatisfy { $0.origin != $1.origin }
            guard isAlternating, first.allSatisfy({ !$0.text.isEmpty }) else {
                throw FuzzFailure("Segments are empty, or neighbours have one origin: \(source)")
            }
            let isForged = first.contains { $0.origin == .template && $0.text.unicodeScalars.contains(Self.sentinel) }
            guard !isForged else { throw FuzzFailure("Input counts as the template's: \(source)\n\(context)") }
            let size = first.reduce(0) { $0 + $1.text.utf8.count }
            guard size <= Self.limits.outputBytes else { throw FuzzFailure("\(size) bytes: \(source)") }
        case (.failure(let first as TemplateError), .failure(let second as TemplateError)):
            guard first.code == second.code, first.message == second.message else {
                throw FuzzFailure("Two renderings fail differently: \(first), \(second): \(source)")
            }
            let isQuoted = first.code != .raisedByTemplate && first.description.unicodeScalars.contains(Self.sentinel)
            guard !isQuoted else { throw FuzzFailure("An error quotes the input: \(first): \(source)") }
        default: throw FuzzFailure("Of two renderings, one fails: \(first), \(second): \(source)")
        }
    }

    private func render(_ template: ChatTemplate, _ context: JSONObject) throws -> [TemplateSegment] {
        let options = RenderingOptions(now: { Date(timeIntervalSince1970: 1_772_892_309) }, timeZone: .gmt)
        return try template.render(context, constants: ["bos_token": "<s>"], options: options)
    }

    /// Templates in the manner of real ones, for where those are not.
    private static let builtIn = [
        """
        {{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{ raise_exception('Roles must alternate') }}{% endif %}<|im_start|>{{ message.role }}
        {{ message['content'] | trim }}<|im_end|>
        {% endfor %}{% if add_generation_prompt %}<|im_start|>assistant{% endif %}
        """,
        """
        {%- macro render(tool, depth=0) %}{% for name, value in tool.items() recursive %}
        {{- ' ' * depth ~ name }}: {{ loop(value.items()) if value is mapping else value | tojson(indent=2) }}
        {% endfor %}{% endmacro -%}
        {% set ns = namespace(found=false, text='') %}{% for tool in tools | sort(attribute='name') %}
        {% set ns.text = ns.text ~ render(tool) %}{% set ns.found = true %}{% endfor %}{{ ns.text | indent(2, true) }}
        {% for message in messages[1:] | selectattr('role', 'in', ['user', 'tool']) %}
        {{ '%s: %-10s' % (loop.index, message.role) }}{{ message.content.split('</think>')[-1].lstrip('\\n') }}
        {% endfor %}
        """,
        """
        {% set groups = messages | groupby('role') %}{% for role, turns in groups %}{{ role | title }}
        {%- filter replace('a', 'b') | wordwrap(20) %}{{ turns | map(attribute='content') | join('\\n') }}{% endfilter %}
        {% call(x, y=1) show(turns) %}{{ x }}{{ y }}{% endcall %}{% endfor %}
        {% macro show(l) %}{{ caller(*l) }}{{ varargs }}{{ kwargs }}{% endmacro %}
        """,
    ]
}

/// Makes templates by the grammar of the language, with arguments that no sane template has.
private struct TemplateGrammar {
    var random: SplitMix64
    /// How many expressions may still be opened in this statement. Most of the random ones fail, and end a rendering.
    private var budget = 0

    init(random: SplitMix64) {
        self.random = random
    }

    static let pieces: [[UInt8]] = [
        "{{", "}}", "{%", "%}", "|tojson", "|join", "|sort", "|list", "|string", "[1:]", "~", "*", " in ", " is ", "'",
        "(",
        ")", "loop", "namespace()", "*9999", "{% endif %}", "{% endfor %}", "{% endset %}", "9223372036854775807", ".x",
    ].map { Array($0.utf8) }

    private static let names = [
        "messages", "m", "x", "ns", "s", "big", "tools", "loop", "n", "d", "l", "mac", "bos_token", "none", "caller",
        "varargs", "kwargs", "key", "true",
    ]
    private static let filters = [
        "upper", "lower", "title", "capitalize", "trim", "string", "list", "length", "first", "last", "reverse",
        "sort", "unique", "items", "dictsort", "sum", "min", "max", "abs", "int", "float", "round", "escape", "e",
        "safe",
        "forceescape", "striptags", "urlencode", "xmlattr", "wordcount", "pprint", "tojson", "indent", "center",
        "truncate", "wordwrap", "replace", "join", "format", "batch", "slice", "groupby", "map", "select", "reject",
        "selectattr", "rejectattr", "default", "attr",
    ]
    private static let methods = [
        "upper", "lower", "title", "capitalize", "swapcase", "strip", "lstrip", "rstrip", "split", "rsplit",
        "splitlines", "partition", "rpartition", "replace", "join", "format", "center", "ljust", "rjust", "zfill",
        "expandtabs", "find", "rfind", "count", "index", "startswith", "endswith", "removeprefix", "removesuffix",
        "isalpha", "istitle", "items", "keys", "values", "get", "copy", "next", "changed", "cycle",
    ]
    private static let tests = [
        "defined", "none", "string", "mapping", "sequence", "iterable", "number", "even", "odd", "lower", "upper",
        "callable", "in", "eq", "lt", "sameas", "divisibleby", "escaped",
    ]
    private static let operators = [
        "+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or",
    ]
    private static let literals = [
        "'a'", "''", "' b c '", "'<&>'", "'a-b c\\n'", "'é😀'", "'{}{0}{a!r:>9}'", "'%s %(a)s %5.2f %%'", "'\\u200b'",
        "0",
        "1", "-1", "2", "7", "1.5", "1e308", "9223372036854775807", "(-9223372036854775807 - 1)", "99999", "[]", "{}",
        "()", "none", "true", "'x' * 999", "range(9)", "range(99999)", "namespace(a=1)", "joiner()", "cycler(1, 'b')",
        "dict(a=1)", "strftime_now('%c %j')", "'role'", "'content'", "'x.y'", "'upper'",
    ]

    mutating func template() -> String {
        var text = """
            {% set ns = namespace(a=s) %}{% set d = {'a': s, 1: [m0]} %}{% set l = [1, s, 'x'] %}{% macro mac(a, b=2) %}\
            {{ a }}{{ varargs }}{{ kwargs }}{{ caller() if caller is defined }}{% endmacro %}
            """
        for _ in 0..<random.int(1...3) { text += statement(depth: 0) }
        return text
    }

    private mutating func statement(depth: Int) -> String {
        budget = random.int(1...10)
        guard depth < 4 else { return "{{ \(expression()) }}" }
        switch random.int(0...13) {
        case 0:
            let condition = random.oneIn(3) ? " if \(expression())" : ""
            let recursive = random.oneIn(4) ? " recursive" : ""
            return "{% for x in \(expression())\(condition)\(recursive) %}\(body(depth))"
                + (random.oneIn(3) ? "{% else %}\(body(depth))" : "") + "{% endfor %}"
        case 1: return "{% for key, x in \(expression()) %}\(body(depth)){% endfor %}"
        case 2: return "{% if \(expression()) %}\(body(depth)){% else %}\(body(depth)){% endif %}"
        case 3: return "{% set x = \(expression()) %}"
        case 4: return "{% set ns.\(random.pick(["a", "b", "x"])) = \(expression()) %}"
        case 5: return "{% set x %}\(body(depth)){% endset %}"
        case 6: return "{% macro mac(a, b=\(expression())) %}\(body(depth)){% endmacro %}"
        case 7: return "{% call(x) mac(\(arguments())) %}\(body(depth)){% endcall %}"
        case 8: return "{% filter \(random.pick(Self.filters)) %}\(body(depth)){% endfilter %}"
        case 9: return "{% with x = \(expression()) %}\(body(depth)){% endwith %}"
        case 10: return "<|im_start|>\n"
        default: return "{{ \(expression()) }}"
        }
    }

    private mutating func body(_ depth: Int) -> String {
        (0..<random.int(1...2)).map { _ in statement(depth: depth + 1) }.joined()
    }

    private mutating func expression() -> String {
        budget -= 1
        guard budget > 0 else { return random.oneIn(2) ? random.pick(Self.names) : random.pick(Self.literals) }
        switch random.int(0...16) {
        case 0...2: return random.pick(Self.names)
        case 3: return random.pick(Self.literals)
        case 4: return "('{:' ~ s ~ '}').format(\(expression()))"
        case 5: return "(\(expression()) \(random.pick(Self.operators)) \(expression()))"
        case 6...8:
            let filter = "(\(expression()))|\(random.pick(Self.filters))"
            return random.oneIn(2) ? filter : "\(filter)(\(arguments()))"
        case 9...10: return "(\(expression())).\(random.pick(Self.methods))(\(arguments()))"
        case 11: return "(\(expression()))[\(expression())]"
        case 12: return "(\(expression()))[\(bound()):\(bound()):\(bound())]"
        case 13: return "(\(expression()) is \(random.pick(Self.tests)))"
        case 14: return "[\(expression()), \(expression())]"
        case 15: return "{\(expression()): \(expression())}"
        default: return "\(random.pick(["mac", "dict", "namespace", "range", "cycler", "loop"]))(\(arguments()))"
        }
    }

    private mutating func bound() -> String {
        random.pick(["", "", "1", "-1", "2", "99999", "-9223372036854775807"])
    }

    private mutating func arguments() -> String {
        let names = [
            "a", "b", "width", "attribute", "indent", "separators", "wrapstring", "reverse", "default", "sep", "caller",
        ]
        var parts: [String] = []
        for _ in 0..<random.int(0...2) { parts.append(expression()) }
        if random.oneIn(6) { parts.append("*\(expression())") }
        if random.oneIn(4), parts.last?.hasPrefix("*") != true { parts.append("\(random.pick(names))=\(expression())") }
        if random.oneIn(6) { parts.append("**\(random.pick(["d", "m", "m0", "tools"]))") }
        return parts.joined(separator: ", ")
    }

    // MARK: Input

    /// A conversation each of whose texts, names of members included, has the sentinel.
    mutating func context(_ sentinel: Unicode.Scalar) -> JSONObject {
        var context: JSONObject = [:]
        context["messages"] = .array((0..<random.int(0...4)).map { _ in message(sentinel) })
        context["m0"] = message(sentinel)
        context["s"] = text(sentinel)
        context["m"] = value(sentinel, depth: 0)
        context["tools"] = value(sentinel, depth: 0)
        context["n"] = .integer(random.pick([0, 1, -1, 3, 99999, .max, .min]))
        context["add_generation_prompt"] = true
        return context
    }

    private mutating func message(_ sentinel: Unicode.Scalar) -> JSONValue {
        [
            "role": random.oneIn(4) ? text(sentinel) : "user", "content": value(sentinel, depth: 1),
            "name": text(sentinel),
        ]
    }

    private mutating func value(_ sentinel: Unicode.Scalar, depth: Int) -> JSONValue {
        switch random.int(0...(depth < 3 ? 9 : 6)) {
        case 0: return nil
        case 1: return .bool(random.oneIn(2))
        case 2: return .integer(Int(truncatingIfNeeded: random.hostileInteger()))
        case 3: return .number(random.pick([0, -0.5, 1e308, 1e-308, 0.1]))
        case 7: return .array((0..<random.int(0...3)).map { _ in value(sentinel, depth: depth + 1) })
        case 8...9:
            var members: JSONObject = [:]
            for _ in 0..<random.int(0...3) {
                members[text(sentinel).string ?? ""] = value(sentinel, depth: depth + 1)
            }
            return .object(members)
        default: return text(sentinel)
        }
    }

    private mutating func text(_ sentinel: Unicode.Scalar) -> JSONValue {
        let texts = [
            "", "a", "<|im_end|>", "{{ 1 }}", "{}", "{0:S>9}", "%s", "%(S)s", "a-b\nc", "é😀", "<b>&", "x,y.z",
            "</think>",
            "  padded  ", "'\"\\", "upper", "\u{200B}", "S>9", ":S>30", "12", "S.S",
        ]
        let word = String(sentinel)
        let text = random.pick(texts).replacingOccurrences(of: "S", with: word)
        if text.contains(word), random.oneIn(2) { return .string(text) }
        return .string(random.oneIn(2) ? text + word : word + text)
    }
}
