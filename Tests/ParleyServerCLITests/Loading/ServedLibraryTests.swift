// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyCommandLine
import ParleyLocal
import ParleyModels
import ParleyServer
import ParleyServerCLI
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("The models that the server offers")
struct ServedLibraryTests {
    private let directory: TemporaryDirectory
    private let store: ModelStore
    private let usual: String

    init() throws {
        directory = try TemporaryDirectory()
        store = ModelStore(directory: directory.url.appending(path: "models"))
        usual = try #require(store.catalog.defaultEntry?.name)
    }

    private func library(_ named: [String] = []) -> ServedLibrary {
        ServedLibrary(store: store, named: named, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Installs a tiny model under a name.
    private func install(_ name: String) async throws {
        let file = directory.url.appending(path: "tiny.gguf")
        try TinyModel().write(to: file)
        try await store.install(fileAt: file, name: name)
    }

    @Test("Without a named model the server starts although the default model is not here, and says what to do.")
    func firstRun() async throws {
        let pool = try library().pool(keepAlive: .seconds(1))
        #expect(await pool.list().isEmpty)
        #expect(await pool.isReady())
        let page = try #require(library().remedy(hasPage: true))
        #expect(page.contains("web chat") && page.contains("parley models pull \(usual)") && !page.contains("\n"))
        #expect(library().remedy(hasPage: false)?.contains("web chat") == false)
    }

    @Test("Other models are served without the default one, which still is missed.")
    func others() async throws {
        try await install("mine")
        let pool = try library().pool(keepAlive: .seconds(1))
        #expect(await pool.list().map(\.id) == ["mine"])
        #expect(await pool.isReady())
        #expect(library().remedy(hasPage: true) != nil)
    }

    @Test("A named model that is not here is an error, which names the command that fetches it.")
    func named() throws {
        let error = #expect(throws: (any Error).self) { try library([usual]).pool(keepAlive: .seconds(1)) }
        #expect("\(try #require(error))".contains("parley models pull \(usual)"))
        #expect(library([usual]).remedy(hasPage: true) == nil)
    }

    @Test("Two files of one name are refused, for requests could not tell them apart; the same one twice is one.")
    func namesakes() async throws {
        var paths: [String] = []
        for name in ["aa", "bb"] {
            let folder = directory.url.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "model.gguf")
            try TinyModel().write(to: file)
            paths.append(file.path)
        }
        let error = #expect(throws: CommandError.self) { try library(paths).pool(keepAlive: .seconds(1)) }
        #expect(error?.message.hasPrefix("Two models are named model.gguf: ") == true)
        let pool = try library([paths[0], paths[0]]).pool(keepAlive: .seconds(1))
        // It is the user's file, not the store's.
        #expect(await pool.list().map(\.isRemovable) == [false])
    }

    @Test("An alias for what is not served is told with what is.")
    func aliases() throws {
        let models = [ServedModel(id: "model.gguf", created: 0)]
        #expect(try library().identifiers(of: ["s": "model.gguf"], in: models) == ["s": "model.gguf"])
        let error = #expect(throws: CommandError.self) { try library().identifiers(of: ["s": "model"], in: models) }
        #expect(error?.message == "--alias names model, which is not served. There are: model.gguf.")
    }

    @Test("A speech model that there is not, or that is not here, is refused before the server starts.")
    func speech() async throws {
        await #expect(throws: ModelStoreError.self) { try await library().speech("nosuch") }
        let error = await #expect(throws: CommandError.self) { try await library().speech("whisper-base") }
        #expect(error?.message.contains("parley models pull whisper-base") == true)
    }

    @Test("What a client fetches is a name of the catalog or an address.")
    func references() throws {
        try library().check(usual)
        try library().check("hf:owner/repo")
        #expect(throws: ModelStoreError.self) { try library().check("nosuch") }
        #expect(throws: CommandError.self) { try library().check("/etc/model.gguf") }
    }

    @Test("The quantisation is what the file states, and what its name says where it states none.")
    func quantization() async throws {
        var paths: [String] = []
        for (name, type) in [("stated-Q8_0.gguf", 15), ("named-Q8_0.gguf", nil)] as [(String, UInt32?)] {
            var writer = TinyModel().writer()
            if let type { writer.set("general.file_type", .uint32(type)) }
            let file = directory.url.appending(path: name)
            try writer.write(to: file)
            paths.append(file.path)
        }
        let models = try await library(paths).pool(keepAlive: .seconds(1)).list()
        #expect(models.count == 2 && Set(models.map(\.quantization)) == ["Q4_K_M", "Q8_0"])
    }

    @Test("What is known of a model that is here: its memory by the one sum, and the largest context that fits.")
    func facts() async throws {
        try await install("mine")
        let model = try #require(await library().pool(keepAlive: .seconds(1)).list().first)
        #expect(try #require(model.memory) > (try #require(model.size)))
        #expect(try #require(model.largestContext) > 0)
    }

    @Test("A model is run by the engine that is named, and by no other one; what runs in it already is the same.")
    func engines() async throws {
        try await install("mine")
        let pool = try library().pool(keepAlive: .seconds(1))
        #expect(await pool.list().first?.engines.first == "native")
        #expect(try await pool.lease("mine").loaded.model.engine == "native")
        #expect(try await pool.lease("mine", in: "native").loaded.model.engine == "native")
        await #expect(throws: ServerError.self) { try await pool.lease("mine", in: "none") }
        let other = try ServedLibrary(
            store: store, named: [], engine: .named("none"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).pool(keepAlive: .seconds(1))
        await #expect(throws: ServerError.self) { try await other.lease("mine") }
    }

    @Test("The catalog tells licences, and what fits.")
    func catalog() async throws {
        let catalog = await library().catalog()
        #expect(catalog.first?.name == usual)
        #expect(catalog.first?.license == store.catalog.defaultEntry?.license)
        #expect(catalog.allSatisfy { $0.license?.isEmpty == false && $0.largestContext ?? 0 >= 0 })
    }
}
