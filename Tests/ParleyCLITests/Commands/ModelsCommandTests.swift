// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("parley models")
struct ModelsCommandTests {
    @Test(
        "the list names each model with size, licence and whether it is here",
        arguments: [["models"], ["models", "list"]])
    func list(arguments: [String]) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.text == "smollm2-135m  98 MB  Apache-2.0  not fetched\n")
    }

    @Test("the path of a file is printed, a model that is not here is an error")
    func path() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        #expect(try await parley.run("models", "path", "tiny.gguf").text.hasSuffix("/tiny.gguf\n"))
        let missing = try await parley.run("models", "path", "smollm2-135m")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("parley models pull smollm2-135m"))
    }

    @Test("pulling offline is an error, and so is pulling a file")
    func pull() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        #expect(try await parley.run("models", "pull", "smollm2-135m", "--offline").status == 1)
        #expect(try await parley.run("models", "pull", "tiny.gguf").status == 1)
    }
}
