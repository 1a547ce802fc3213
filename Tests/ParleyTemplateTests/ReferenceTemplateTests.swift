// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyJSON
import ParleyTemplate
import ParleyTestSupport
import Testing

@Suite struct ReferenceTemplateTests {
    @Test(
        "The templates of real models render every conversation as jinja2 renders it",
        .enabled(if: References.hasTemplates, References.hint))
    func referenceTemplates() throws {
        let inputs = try References.json(References.goldens.appending(path: "conversations.json"))
        let expected = try References.json(References.templates.appending(path: "expected.json"))
        let constants = inputs["constants"]?.object ?? [:]
        let variants = try #require(inputs["variants"]?.array)
        let conversations = try #require(inputs["conversations"]?.array)
        let files = try #require(expected["templates"]?.object)
        #expect(files.count > 0 && variants.count == 4 && conversations.count == 39)
        for (file, results) in files {
            let source = try String(contentsOf: References.templates.appending(path: file), encoding: .utf8)
            let template = try ChatTemplate(source: source)
            for conversation in conversations {
                let name = conversation["name"]?.string ?? ""
                let context = conversation["context"]?.object ?? [:]
                let recorded = try #require(results[name]?.array)
                try #require(recorded.count == variants.count)
                for (variant, recorded) in zip(variants, recorded) {
                    let merged = context.merging(variant.object ?? [:]) { _, last in last }
                    let outcome = Outcome(template, merged, constants: constants)
                    let reference = Outcome(recorded: recorded)
                    #expect(outcome.matches(reference), "\(file), \(name), \(variant)\n\(outcome)\n---\n\(reference)")
                }
            }
        }
    }
}
