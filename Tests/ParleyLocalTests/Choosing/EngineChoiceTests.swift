// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyLocalEngines
import ParleyModelFile
import ParleyModels
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("The choice among engines")
struct EngineChoiceTests {
    private let model = URL(filePath: "/models/some.gguf")

    private func engine(
        _ name: String, formats: Set<ModelFormat> = [.gguf], capabilities: ModelCapabilities = .text,
        problem: String? = nil, refusal: String? = nil,
        load: @escaping EngineDescriptor.Loader = { _, _, _ in throw RuntimeError(.unsupported, "made up") }
    ) -> EngineDescriptor {
        EngineDescriptor(
            name: name, formats: formats, capabilities: capabilities, problem: { problem }, refusal: { _ in refusal },
            load: load)
    }

    private func failure(_ body: () throws(ConversationError) -> EngineChoice) -> ConversationError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("The first engine that runs the file is taken, and the choice says why others were not")
    func automatic() throws {
        let choice = try EngineChoice(
            for: model,
            among: [
                engine("one", formats: [ModelFormat("ONNX", fileExtension: "onnx")]),
                engine("two", problem: "it is too old"),
                engine("three", refusal: "it knows no mamba"), engine("four"), engine("five"),
            ])
        #expect(choice.engine.name == "four")
        #expect(
            choice.passedOver.map(\.description) == [
                "one: some.gguf is not of a format that the engine one reads (.onnx)", "two: it is too old",
                "three: it knows no mamba",
            ])
    }

    @Test(
        "A model in a form that no engine of the build reads is told to need another build",
        arguments: [
            (ModelFormat.onnx, "genai_config.json", "ONNX"), (.execuTorch, "model.pte", "ExecuTorch"),
            (.liteRTLM, "model.litertlm", "LiteRTLM"),
        ])
    func otherBuild(format: ModelFormat, file: String, trait: String) throws {
        try withTemporaryDirectory { folder in
            for name in [file, "config.json"] { try Data("{}".utf8).write(to: folder.appending(path: name)) }
            let model = format.directoryFile == nil ? folder.appending(path: file) : folder
            let native = engine("one", formats: [.gguf, .huggingFace], refusal: "it has no weights")
            let error = failure { () throws(ConversationError) in
                try EngineChoice(for: model, among: [native, engine("two")])
            }
            #expect(error?.code == .modelLoadingFailed)
            #expect(error?.message.contains("with the package trait \(trait);") == true)
            let choice = try EngineChoice(for: model, among: [native, engine("two", formats: [format])])
            #expect(choice.engine.name == "two")
        }
    }

    @Test("A file of no format that is read is named once, with the formats and what to do")
    func unreadable() {
        let error = failure { () throws(ConversationError) in
            try EngineChoice(for: URL(filePath: "/models/help.txt"), among: [engine("one"), engine("two")])
        }
        #expect(
            error?.message == "help.txt is not of a format that this build reads (.gguf). Give the path of such a "
                + "model, or a name of 'parley models catalog'.")
    }

    @Test("An engine requested by name is used or refused, never replaced")
    func named() throws {
        let engines = [engine("one"), engine("two", refusal: "it knows no mamba"), engine("three")]
        #expect(try EngineChoice(.named("three"), for: model, among: engines).engine.name == "three")
        let error = failure { () throws(ConversationError) in
            try EngineChoice(.named("two"), for: model, among: engines)
        }
        #expect(error?.code == .modelLoadingFailed)
        #expect(error?.message == "it knows no mamba")
    }

    @Test("An unknown engine's name is an error that lists the engines")
    func unknown() {
        let error = failure { () throws(ConversationError) in
            try EngineChoice(.named("warp"), for: model, among: [engine("one"), engine("two")])
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("one, two") == true)
    }

    @Test("Where no engine runs the file, the error gives every engine's reason")
    func none() {
        let error = failure { () throws(ConversationError) in
            try EngineChoice(
                for: model,
                among: [engine("one", refusal: "it knows no mamba"), engine("two", problem: "it is too old")])
        }
        #expect(error?.code == .modelLoadingFailed)
        #expect(error?.message.contains("one: it knows no mamba") == true)
        #expect(error?.message.contains("two: it is too old") == true)
    }

    @Test("Engines without image support are skipped when images are needed")
    func images() throws {
        let choice = try EngineChoice(
            for: model, among: [engine("one"), engine("two", capabilities: [.text, .vision])],
            needed: .vision)
        #expect(choice.engine.name == "two")
    }

    @Test("A model's own projector is taken where an engine can use it, and otherwise does no harm")
    func projectors() throws {
        let seeing = engine("two", capabilities: [.text, .vision])
        let own = URL(filePath: "/models/mmproj-some.gguf")
        func choice(
            _ preference: EnginePreference = .automatic, among engines: [EngineDescriptor], with projector: URL?,
            configured: URL? = nil
        ) throws -> (String, URL?) {
            var configuration = LocalConfiguration(projector: configured)
            let choice = try EngineChoice(preference, for: model, with: projector, among: engines, &configuration)
            return (choice.engine.name, configuration.projector)
        }
        #expect(try choice(among: [engine("one"), seeing], with: own) == ("two", own))
        #expect(try choice(among: [engine("one"), seeing], with: nil) == ("one", nil))
        #expect(try choice(among: [engine("one")], with: own) == ("one", nil))
        #expect(try choice(.named("one"), among: [engine("one"), seeing], with: own) == ("one", nil))
        let wanted = URL(filePath: "/other.gguf")
        #expect(try choice(among: [engine("one"), seeing], with: own, configured: wanted) == ("two", wanted))
        #expect(throws: ConversationError.self) {
            try choice(among: [engine("one")], with: own, configured: wanted)
        }
    }

    @Test("What a model is for has to be among what the engine has models for")
    func capabilities() throws {
        let describer = engine("one", capabilities: .vision)
        #expect(try EngineChoice(for: model, among: [describer, engine("two")]).engine.name == "two")
        let error = failure { () throws(ConversationError) in try EngineChoice(for: model, among: [describer]) }
        #expect(error?.message.contains("chat") == true)
    }

    @Test("A directory is of a format whose file it has")
    func directories() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let reader = engine("one", formats: [ModelFormat("MLX", directoryWith: "config.json")])
        let error = failure { () throws(ConversationError) in try EngineChoice(for: directory, among: [reader]) }
        #expect(error?.message.contains("(a directory with config.json)") == true)
        try Data().write(to: directory.appending(path: "config.json"))
        #expect(try EngineChoice(for: directory, among: [engine("two"), reader]).engine.name == "one")
    }

    @Test("A model that answers whole messages is not taken for one of tokens")
    func runners() async throws {
        let engine = engine("one", load: { _, _, _ in .runner(ScriptedRunner(replies: [])) })
        let error = await #expect(throws: ConversationError.self) {
            _ = try await engine.loadTokenModel(model, LocalConfiguration()) { _ in }
        }
        #expect(error?.code == .modelLoadingFailed)
    }

    @Test("File extensions are recognised in upper and lower case")
    func endings() throws {
        let choice = try EngineChoice(for: URL(filePath: "/models/SOME.GGUF"), among: [engine("one")])
        #expect(choice.engine.name == "one")
    }

    @Test("The native engine refuses by the header what it does not run")
    func native() throws {
        let url = URL.temporary(".gguf")
        defer { try? FileManager.default.removeItem(at: url) }
        try TinyModel().write(to: url)
        #expect(EngineDescriptor.native.refusal(url) == nil)
        var writer = TinyModel().writer()
        writer.set("general.architecture", .string("unheard-of"))
        try writer.write(to: url)
        #expect(EngineDescriptor.native.refusal(url)?.contains("unheard-of") == true)
    }
}
