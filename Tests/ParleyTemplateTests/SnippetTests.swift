// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite struct SnippetTests {
    @Test("Every construct of the language behaves as in jinja2")
    func snippets() throws {
        let context = try #require(try References.json(References.goldens.appending(path: "context.json")).object)
        let record = try References.json(References.goldens.appending(path: "snippets.json"))
        let cases = try #require(record["cases"]?.array)
        #expect(cases.count > 300)
        for snippet in cases {
            let source = try #require(snippet["template"]?.string)
            let outcome = Outcome(source, context)
            let reference = Outcome(recorded: snippet)
            #expect(outcome.matches(reference), "\(source)\n\(outcome)\n---\n\(reference)")
        }
    }
}
