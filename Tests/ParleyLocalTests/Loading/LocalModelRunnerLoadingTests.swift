// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyConversation
import ParleyLocal
import ParleyModels
import ParleyTesting
import Testing

@Suite("Loading a local model")
struct LocalModelRunnerLoadingTests {
    /// A network that nothing comes from.
    private struct DeadNetwork: FileDownloader {
        func download(
            _ url: URL, connectTimeout: Duration, receive: @escaping @Sendable (Data) throws -> Void
        ) async throws {
            throw URLError(.notConnectedToInternet)
        }
    }

    private func code(loading name: String, contents: Data?) async throws -> ConversationError.Code? {
        let directory = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: name)
        try contents?.write(to: file)
        let store = ModelStore(directory: directory, downloader: DeadNetwork())
        do {
            _ = try await LocalModelRunner.load(name.contains(".") ? file.path : name, store: store)
            return nil
        } catch let error as ConversationError {
            return error.code
        }
    }

    private func file(template: String) -> Data {
        var writer = TinyModel().writer()
        writer.set("tokenizer.chat_template", .string(template))
        return Data(writer.encoded())
    }

    @Test("A file that is whole is loaded")
    func whole() async throws {
        #expect(try await code(loading: "tiny.gguf", contents: file(template: "{{ 1 }}")) == nil)
    }

    @Test("A file that is missing, broken or of no known kind is told to be one")
    func broken() async throws {
        #expect(try await code(loading: "missing.gguf", contents: nil) == .modelLoadingFailed)
        #expect(try await code(loading: "broken.gguf", contents: Data("GGUF".utf8)) == .modelLoadingFailed)
        #expect(try await code(loading: "model.onnx", contents: Data("x".utf8)) == .modelLoadingFailed)
        #expect(try await code(loading: "tiny.gguf", contents: file(template: "{% if %}")) == .modelLoadingFailed)
    }

    @Test("A model that cannot be fetched is another failure than one that cannot be loaded")
    func unreachable() async throws {
        #expect(try await code(loading: "smollm2-135m", contents: nil) == .downloadFailed)
    }
}
