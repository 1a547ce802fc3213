// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Compiling schemas")
struct SchemaCompilerTests {
    @Test("Strings with a pattern and a format are not mistaken for one another")
    func conjunctions() throws {
        // Each automaton is made from two others, and earlier ones may have been freed by then.
        let letters = Array("abcdefghij")
        for _ in 0..<40 {
            var properties = JSONValue.object([:])
            var value = JSONValue.object([:])
            for letter in letters {
                properties["\(letter)"] = [
                    "type": "string", "format": "email", "pattern": .string("^\(letter)[a-z]*@"),
                ]
                value["\(letter)"] = .string("\(letter)x@example.com")
            }
            let program = try ConstraintProgram(schema: ["type": "object", "properties": properties])
            #expect(program.accepts(value))
            for (letter, other) in zip(letters, letters.dropFirst()) {
                #expect(!program.accepts([letter.description: .string("\(other)x@example.com")]))
            }
        }
    }
}
