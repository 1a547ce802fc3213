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

    @Test("an imported model is listed, found by its name, checked and removed")
    func importing() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let imported = try await parley.run("models", "import", "tiny.gguf", "--name", "mine")
        #expect(imported.status == 0)
        #expect(imported.text.hasSuffix("/models/entries/mine/tiny.gguf\n"))
        #expect(try await parley.run("models", "path", "MINE").text == imported.text)
        #expect(try await parley.run("models").text.contains("mine  "))
        let json = try await parley.run("models", "list", "--json").text
        #expect(json.contains("\"name\" : \"mine\"") && json.contains("\"sha256\""))
        #expect(try await parley.run("models", "verify").text == "mine  sound\n")
        #expect(try await parley.run("models", "remove", "mine").status == 0)
        #expect(try await parley.run("models", "path", "mine").status == 1)
        #expect(try await parley.run("models", "gc", "--dry-run").output.isEmpty)
    }

    @Test("a broken model is named, with the remedy, and the status tells")
    func verification() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        _ = try await parley.run("models", "import", "tiny.gguf", "--mode", "reference")
        try parley.write("GGUF", to: "tiny.gguf")
        let outcome = try await parley.run("models", "verify")
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("tiny  BROKEN\n  tiny.gguf has 4 bytes"))
        #expect(outcome.errors.contains("parley models remove tiny"))
    }

    @Test("a file that is no model is not taken in")
    func damagedImport() async throws {
        let parley = try ParleyProcess()
        try parley.write("GGUF", to: "bad.gguf")
        let outcome = try await parley.run("models", "import", "bad.gguf")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("bad.gguf is not a whole model file"))
    }
}
