// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyReplyCases
import ParleyRuntime
import Synchronization

/// Function calls. A call that a constraint allows is parsed to the same call. Any other text is parsed to calls that
/// prompts can show again, or refused.
struct CallFuzz: FuzzSubject {
    static let name = "calls"

    private static let pieces = [
        "{", "}", "[", "]", "(", ")", "\"", "'", "'''", "\\", "\\\"", "\\u", "\\ud83d", ",", ":", "=", "**", ";",
        "None",
        "null", "True", "name", "arguments", "-", "1e9", "1e999", "99999999999999999999", ".", "_", "\u{0}", "é",
        "\u{301}",
        "👩‍👩‍👧", "\n", " ", "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "</tool_call>", "[[[[[[[[[[[[[[[[",
        "{\"a\":{\"a\":{\"a\":",
        "\"\":", "\"function\": {\"name\": ", "f(", "\"arguments\": \"{}\"", "\"id\": \"aB3dE5gH7\"",
    ].map { Array($0.utf8) }

    private static let seeds = [
        #"[f(a="x\n", b=[1, {'c': (2, -3.5e2)}], d=None, **{"e f": True})]"#, #"f(a='it\'s', b="C:\dir\"), g()"#,
        #"{"name": "f", "arguments": {"a": "\u00e9\\", "b": [true, null, -1.5e-3, {"": {}}]}}"#,
        #"[{"name": "f", "arguments": "{\"a\": 1}"}, {"function": {"name": "g", "arguments": {}}}]"#,
        #"f[ARGS]{"a": "[TOOL_CALLS]", "b": 1}[TOOL_CALLS]g[CALL_ID]aB3dE5gH7[ARGS]{}"#,
        #"[{"name": "f", "arguments": {"a": 1}, "id": "aB3dE5gH7"}]"#,
    ]

    /// Functions are created once and reused, because compiling takes longer than generating. Their number is limited
    /// by the memory of their masks.
    private final class Shelf: Sendable {
        private let shelf = Mutex<[Int: WrittenCalls?]>([:])

        func functions(_ number: Int, _ random: inout SplitMix64) throws -> WrittenCalls? {
            if let known = shelf.withLock({ $0[number] }) { return known }
            let format = WrittenCalls.formats[abs(number) % WrittenCalls.formats.count]
            let made = try WrittenCalls(format, SplitMix64(seed: number < 0 ? random.next() : UInt64(number)))
            if number >= 0 { shelf.withLock { $0[number] = made } }
            return made
        }
    }

    private let shelf = Shelf()

    func run(_ random: inout SplitMix64) throws {
        let number = random.oneIn(50) ? -random.int(1...5) : random.int(0...23)
        var text = random.pick(Self.seeds)
        if !random.oneIn(3), let functions = try shelf.functions(number, &random) {
            guard let written = try functions.text(&random) else { return }
            try functions.check(written)
            text = written
        }
        text = String(decoding: random.mutated(Array(text.utf8), changes: 8, with: Self.pieces), as: UTF8.self)
        for format in WrittenCalls.formats { try check(text, format) }
    }

    /// Calls parsed from any text can be written in a prompt, and are parsed from it as the same calls.
    private func check(_ text: String, _ format: FunctionCallFormat) throws {
        guard let dialect = format.dialect, let calls = try? dialect.parse(text) else { return }
        guard !calls.isEmpty else { throw FuzzFailure("\(format.name): no call is read of \(text)") }
        guard calls.allSatisfy({ dialect.canCall($0.name) }) else { return }
        var router = ResponseRouter(.init(functionCalls: format))
        let spelled = WrittenCalls.spelled(calls, format)
        let parts = router.append(spelled) + router.finish()
        let again = parts.flatMap { part -> [ParsedFunctionCall] in
            guard case .functionCalls(let calls) = part else { return [] }
            return calls.map { ParsedFunctionCall(name: $0.name, arguments: $0.arguments) }
        }
        guard WrittenCalls.text(of: again) == WrittenCalls.text(of: calls) else {
            throw FuzzFailure("\(format.name): \(text)\nis read, shown as\n\(spelled)\nand read differently: \(parts)")
        }
    }
}
