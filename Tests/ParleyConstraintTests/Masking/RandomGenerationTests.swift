// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Random generation")
struct RandomGenerationTests {
    /// A reply sampled from random logits. Closing brackets and quotes become more and more likely, so that it ends.
    private static func reply(_ masks: TokenMasks, _ random: inout SplitMix64) throws -> [UInt8]? {
        let texts = TestVocabulary.texts
        var constraint = Constraint(masks)
        var mask = TokenMask(vocabularySize: texts.count)
        var bytes: [UInt8] = []
        for step in 0..<4_000 {
            try constraint.allow(into: &mask)
            let allowed = texts.indices.filter { mask[TokenID($0)] }
            if allowed.isEmpty { return nil }
            if mask[TestVocabulary.end], allowed.count == 1 || Int.random(in: 0..<4, using: &random) == 0 || step > 200
            {
                return bytes
            }
            let closing = allowed.filter { index in
                texts[index] == [0x22] || texts[index] == [0x5D] || texts[index] == [0x7D]
            }
            let favours = !closing.isEmpty && Int.random(in: 0..<600, using: &random) < step + 60
            guard let token = (favours ? closing : allowed).randomElement(using: &random) else { return nil }
            if TokenID(token) == TestVocabulary.end { return bytes }
            guard constraint.accept(TokenID(token)) else { return nil }
            bytes += texts[token]
        }
        return []
    }

    @Test("Replies never run into a dead end, and those that end are valid", arguments: GoldenSchema.all)
    func replies(_ golden: GoldenSchema) throws {
        var random = SplitMix64(seed: 7)
        let program = try ConstraintProgram(schema: golden.schema)
        let validator = try SchemaValidator(golden.schema)
        let masks = TokenMasks(program, TestVocabulary.trie)
        for _ in 0..<12 {
            let bytes = try #require(try Self.reply(masks, &random), "a dead end")
            guard !bytes.isEmpty else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let value = try JSONValue(parsing: bytes)
            #expect(try validator.accepts(value), "\(text)")
            #expect(program.accepts(bytes), "\(text)")
            #expect(program.accepts(value), "\(text)")
            for _ in 0..<4 {
                let form = Self.rewritten(bytes, &random)
                #expect(program.accepts(form), "\(String(decoding: form, as: UTF8.self))")
            }
        }
    }

    /// The same JSON with other white space between its parts.
    private static func rewritten(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let spaces = ["", " ", "\n", "\n  ", "\n\t\t", "\n" + String(repeating: " ", count: 32)]
        var result: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                result.append(byte)
                if !isEscaped, byte == 0x22 { isInString = false }
                isEscaped = !isEscaped && byte == 0x5C
                continue
            }
            let space = Array((spaces.randomElement(using: &random) ?? "").utf8)
            switch byte {
            case 0x20, 0x0A, 0x09: continue
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","): result += [byte] + space
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                let isEmpty =
                    result.last.map { [0x20, 0x0A, 0x09, UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0) } ?? false
                result += (isEmpty ? [] : space) + [byte]
            case UInt8(ascii: ":"): result += [byte] + (Bool.random(using: &random) ? [0x20] : [])
            default:
                isInString = byte == 0x22
                result.append(byte)
            }
        }
        return result
    }

    @Test("Random schemas never lead into a dead end")
    func randomObjects() throws {
        var random = SplitMix64(seed: 8)
        for _ in 0..<60 {
            let names = ["a", "ab", "abc", "b", "name"]
            var properties: JSONValue = [:]
            for name in names where Bool.random(using: &random) {
                properties[name] =
                    [
                        ["type": "integer", "minimum": 3, "maximum": 12], ["$ref": "#"],
                        ["type": "string", "maxLength": 2], ["const": 1],
                    ].randomElement(using: &random) ?? true
            }
            var schema: JSONValue = ["type": ["object", "null"], "properties": properties]
            schema["required"] = .array(
                names.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.map { .string($0) })
            if Bool.random(using: &random) {
                schema["additionalProperties"] = [false, ["type": "boolean"]].randomElement(using: &random)
            }
            if Bool.random(using: &random) { schema["minProperties"] = .integer(.random(in: 0...3, using: &random)) }
            if Bool.random(using: &random) { schema["maxProperties"] = .integer(.random(in: 1...4, using: &random)) }
            let limits = ConstraintLimits(valueDepth: .random(in: 1...4, using: &random))
            let program = try ConstraintProgram(schema: schema, limits: limits)
            let masks = TokenMasks(program, TestVocabulary.trie)
            for _ in 0..<6 {
                let bytes = try #require(try Self.reply(masks, &random), "a dead end in \(schema)")
                if !bytes.isEmpty { #expect(try SchemaValidator(schema).accepts(JSONValue(parsing: bytes))) }
            }
        }
    }
}
