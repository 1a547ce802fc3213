// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The functions of llama.cpp that are looked up")
struct LookedUpFunctionsTests {
    @Test("every function that is called is looked up before, so that a library without it is refused")
    func all() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/CParleyLlamaCpp")
        let text = try ["parley_llama.c", "parley_llama_image.c"].map { name in
            try String(contentsOf: sources.appending(path: name).standardizedFileURL, encoding: .utf8)
        }.joined()
        let called = Set(text.matches(of: #/[^a-z0-9_]((?:llama|mtmd)_[a-z0-9_]+)(?=\()/#).map { String($0.output.1) })
        #expect(called.count > 30)
        #expect(called.filter { !text.contains("\"\($0)\"") }.sorted() == [])
    }
}
