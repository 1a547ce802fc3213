// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleyTestSupport
import Testing

@Suite("ModelStore")
struct ModelStoreTests {
    @Test("PARLEY_HOME takes precedence")
    func parleyHome() {
        let environment: ProcessEnvironment = ["PARLEY_HOME": "/there", "XDG_DATA_HOME": "/data", "HOME": "/home/a"]
        #expect(ModelStore.standard(environment: environment).directory.path == "/there/models")
    }

    #if !canImport(Darwin)
        @Test(
            "without PARLEY_HOME the XDG data directory is used",
            arguments: [
                (["XDG_DATA_HOME": "/data", "HOME": "/home/a"], "/data/parley/models"),
                (["XDG_DATA_HOME": "relative", "HOME": "/home/a"], "/home/a/.local/share/parley/models"),
                (["PARLEY_HOME": "", "HOME": "/home/a"], "/home/a/.local/share/parley/models"),
            ])
        func dataDirectory(variables: [String: String], path: String) {
            let environment = ProcessEnvironment(variables)
            #expect(ModelStore.standard(environment: environment).directory.path == path)
        }
    #endif

    @Test("a name in the catalog without an installed file is not an error")
    func nameWithoutFile() throws {
        #expect(try ModelStore(directory: TemporaryDirectory().url).find("smollm2-135m") == nil)
    }

    @Test("a file of the wrong size does not count as the model")
    func wrongSize() throws {
        let directory = try TemporaryDirectory()
        try Data("short".utf8).write(to: directory.url.appending(path: "smollm2-135m.gguf"))
        #expect(try ModelStore(directory: directory.url).find("smollm2-135m") == nil)
    }

    @Test("a path is resolved to its file")
    func path() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "own model")
        try Data("GGUF".utf8).write(to: file)
        let model = try #require(try ModelStore(directory: directory.url).find(file.path))
        #expect(model.entry == nil)
        #expect(model.name == "own model")
    }

    @Test("an unknown name is an error that lists the known ones and the one that may be meant")
    func unknownName() throws {
        let store = ModelStore(directory: try TemporaryDirectory().url)
        let error = #expect(throws: ModelStoreError.self) { try store.find("smolm2") }
        #expect(error?.code == .unknownModel)
        #expect(error?.message.contains("Known names: smollm2-135m") == true)
        #expect(error?.message.contains("Did you mean smollm2-135m?") == true)
    }

    @Test("a path without a file and a directory are errors of their own", arguments: ["/no/such.gguf", "x.gguf", "/"])
    func missingFile(path: String) throws {
        let store = ModelStore(directory: try TemporaryDirectory().url)
        let error = #expect(throws: ModelStoreError.self) { try store.find(path) }
        #expect(error?.code == .fileNotFound)
    }
}
