// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("parley models")
struct ModelsCommandTests {
    @Test("if no model is installed, the list refers to the catalog", arguments: [["models"], ["models", "list"]])
    func emptyList(arguments: [String]) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("parley models catalog"))
    }

    @Test("the help lists the subcommands in the order of their use")
    func subcommands() async throws {
        let help = try await ParleyProcess().run("models", "--help").text
        let places = ["list", "pull", "import", "verify", "remove", "gc", "path", "fit", "catalog"].map { name in
            help.firstRange(of: "\n  \(name) ")?.lowerBound
        }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test(
        "invalid names are reported without the network, and missing models with the command to get them",
        arguments: [
            (["models", "pull", "qwen3-06b"], "Did you mean qwen3-0.6b?"),
            (["models", "pull", "hf:owner"], "hf:OWNER/REPO"),
            (["models", "pull", "ftp://a.org/m.gguf"], "ftp"),
            (["models", "path", "hf:o/r:Q4_0"], "models pull hf:o/r:Q4_0"),
            (["models", "path", "no-such"], "Known names"), (["models", "path", "a/b.gguf"], "no file"),
            (["models", "remove", "no-such"], "models list"), (["models", "verify", "no-such"], "models list"),
            (["run", "qwen3-06b"], "Did you mean qwen3-0.6b?"),
        ])
    func mistakes(arguments: [String], told: String) async throws {
        let outcome = try await ParleyProcess().run(arguments)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(told), "\(outcome.errors)")
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
        let list = try await parley.run("models").text
        #expect(list.hasPrefix("mine  ") && list.contains("\n  last used 20") && list.contains("/tiny.gguf\n"))
        let json = try await parley.run("models", "list", "--json").text
        #expect(json.contains("\"name\" : \"mine\"") && json.contains("\"sha256\""))
        let keys = json.matches(of: /"(\w+)" :/).map { String($0.output.1) }
        #expect(keys.contains("is_reference") && keys.allSatisfy { $0 == $0.lowercased() })
        #expect(try await parley.run("models", "verify").text == "mine  sound\n")
        #expect(try await parley.run("models", "remove", "mine").status == 0)
        #expect(try await parley.run("models", "path", "mine").status == 1)
        #expect(try await parley.run("models", "gc", "--dry-run").output.isEmpty)
    }

    @Test("a damaged model is reported with the remedy, and the exit status is 1")
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

    @Test("a file that is not a model is not imported")
    func damagedImport() async throws {
        let parley = try ParleyProcess()
        try parley.write("GGUF", to: "bad.gguf")
        let outcome = try await parley.run("models", "import", "bad.gguf")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("bad.gguf is not a complete model file"))
    }
}
