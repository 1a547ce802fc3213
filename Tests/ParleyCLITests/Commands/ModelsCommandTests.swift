// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTesting
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
            (["models", "pull", "wisper-base"], "Did you mean whisper-base?"),
            (["models", "pull", "hf:owner"], "hf:OWNER/REPO"),
            (["models", "pull", "ftp://a.org/m.gguf"], "ftp"),
            (["models", "path", "hf:o/r:Q4_0"], "models pull hf:o/r:Q4_0"),
            (["models", "path", "no-such"], "Known names"), (["models", "path", "a/b.gguf"], "no file"),
            (["models", "remove", "no-such"], "models list"), (["models", "verify", "no-such"], "models list"),
            (["run", "qwen3-06b"], "Did you mean qwen3-0.6b?"),
            (["run", "whisper-base", "hi"], "use 'parley transcribe --model whisper-base'"),
            (["models", "fit", "whisper-base"], "use 'parley transcribe --model whisper-base'"),
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
        // No path is offered where none is taken.
        #expect(try await parley.run("models", "pull", "nosuch").errors.contains("path") == false)
    }

    @Test("another model of a name is replaced with --force alone, and a quota can be given")
    func replacing() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        try parley.writeModel(to: "other.gguf")
        #expect(try await parley.run("models", "import", "tiny.gguf", "--name", "mine").status == 0)
        let taken = try await parley.run("models", "import", "other.gguf", "--name", "mine")
        #expect(taken.status == 1 && taken.errors.contains("--force"))
        #expect(try await parley.run("models", "import", "other.gguf", "--name", "mine", "--force").status == 0)
        #expect(try await parley.run("models", "list").text.contains("/other.gguf\n"))
        let large = try await parley.run("models", "import", "tiny.gguf", "--quota", "1kB")
        #expect(large.status == 1 && large.errors.contains("--quota"))
    }

    @Test("if one of several names is unknown, no model is removed; installed ones are offered to a shell")
    func removing() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        for name in ["a", "b"] { _ = try await parley.run("models", "import", "tiny.gguf", "--name", name) }
        #expect(try await parley.run("models", "remove", "a", "no-such", "b").status == 1)
        let shell = ["parley", "models", "remove", ""]
        let offered = try await parley.run(
            ["---completion", "models", "remove", "--", "positional@0", "3", "0"] + shell)
        #expect(offered.text.split(separator: "\n") == ["a", "b"])
        #expect(try await parley.run("models", "remove", "a", "A", "b").status == 0)
        #expect(try await parley.run("models", "list").output.isEmpty)
    }

    @Test("a folder with a model is found by its bare name, as a file is")
    func bareFolder() async throws {
        let parley = try ParleyProcess()
        var model = TinyModel()
        model.tokenizer = .bytePairs
        try model.writeFolder(to: parley.directory.appending(path: "tiny-folder"))
        let found = try await parley.run("models", "path", "tiny-folder")
        #expect(found.status == 0 && found.text.hasSuffix("tiny-folder\n"), "\(found.errors)")
    }

    @Test(
        "a PARLEY_HOME that is no directory is an error, and does not count as empty",
        arguments: ["list", "verify", "path smollm2-135m"])
    func noDirectory(command: String) async throws {
        let parley = try ParleyProcess()
        try parley.write("", to: "file")
        let outcome = try await parley.run(script: "PARLEY_HOME=\"$PWD/file\" \"$PARLEY\" models \(command)")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("PARLEY_HOME"))
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
        #expect(outcome.text.contains("parley models remove tiny"))
    }

    @Test("a model that cannot be repaired does not keep others from it")
    func repairing() async throws {
        let parley = try ParleyProcess()
        for name in ["a", "b"] {
            try parley.writeModel(to: "\(name).gguf")
            _ = try await parley.run("models", "import", "\(name).gguf", "--mode", name == "a" ? "reference" : "copy")
        }
        try parley.write("GGUF", to: "a.gguf")
        let blob = try #require(
            FileManager.default.contentsOfDirectory(
                at: parley.directory.appending(path: "models/blobs"), includingPropertiesForKeys: nil
            ).first)
        try FileManager.default.removeItem(at: blob)
        let outcome = try await parley.run("models", "verify", "--repair")
        #expect(outcome.status == 1 && outcome.errors.contains("a refers to files outside the store"))
        #expect(outcome.text.hasSuffix("b  repaired\n"), "\(outcome.text)")
        #expect(try await parley.run("models", "verify", "b").text == "b  sound\n")
    }

    @Test("a file that is not a model is not imported")
    func damagedImport() async throws {
        let parley = try ParleyProcess()
        try parley.write("GGUF", to: "bad.gguf")
        let outcome = try await parley.run("models", "import", "bad.gguf")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("bad.gguf cannot be imported: "))
    }
}
