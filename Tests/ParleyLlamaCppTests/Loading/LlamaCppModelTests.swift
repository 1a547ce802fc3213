// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyEngineCases
    import ParleyLlamaCpp
    import ParleyModelFile
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite("Loading into llama.cpp")
    struct LlamaCppModelTests {
        @Test("the installed library can be used and reports its version")
        func library() throws {
            let library = try LlamaCppLibrary.checked()
            #expect(library.version?.isEmpty == false)
            #expect(LlamaCppLibrary.problem == nil)
        }

        @Test("a model describes itself")
        func description() async throws {
            let model = try await LlamaCppModel.load(TinyModel().writer())
            #expect(model.info.name == "Tiny random model")
            #expect(model.info.architecture == "llama")
            #expect(model.info.vocabularySize == model.tokenizer.vocabularySize)
            #expect(model.info.trainedContext == 512)
            #expect(model.context == 512)
        }

        @Test("a damaged file is refused by Parley's reader, before llama.cpp sees it")
        func refusesDamage() async throws {
            let bytes = TinyModel().writer().encoded()
            for length in [0, 3, 64, bytes.count / 2, bytes.count - 1] {
                let url = URL.temporary(".gguf")
                try Data(bytes.prefix(length)).write(to: url)
                defer { try? FileManager.default.removeItem(at: url) }
                await #expect(throws: ModelFileError.self) { _ = try await LlamaCppModel.load(url) }
            }
        }

        @Test("a model that llama.cpp does not run is refused with its own words")
        func refusesUnknown() async throws {
            var writer = TinyModel().writer()
            writer.set("general.architecture", .string("unheard-of"))
            let error = await expect(code: .unsupported) { _ = try await LlamaCppModel.load(writer) }
            #expect(error?.message.contains("unheard-of") == true)
            #expect(error?.message.contains("llama.cpp reports:") == true)
        }

        @Test("a model with a tensor missing is refused with llama.cpp's own words")
        func refusesIncomplete() async throws {
            var writer = TinyModel().writer()
            writer.tensors.removeAll { $0.name == "blk.1.ffn_up.weight" }
            let error = await expect(code: .unsupported) { _ = try await LlamaCppModel.load(writer) }
            #expect(error?.message.contains("blk.1.ffn_up.weight") == true)
        }

        @Test("an encoder is refused, because llama.cpp gives logits without values for it")
        func refusesEncoder() async throws {
            let error = await expect(code: .unsupported) {
                _ = try await LlamaCppModel.load(TinyModel(.bert).writer())
            }
            #expect(error?.message.contains("encoder") == true)
        }

        @Test("a context that does not fit into memory is refused with the sum")
        func refusesTooLarge() async throws {
            let error = await expect(code: .insufficientMemory) {
                var tiny = TinyModel()
                tiny.layers = 64
                _ = try await LlamaCppModel.load(tiny.writer(), context: 1 << 24)
            }
            #expect(error?.message.contains("cache for") == true)
        }

        @Test("cancelling a load throws")
        func cancels() async throws {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await LlamaCppModel.load(TinyModel().writer())
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        @Test("a capacity out of range is refused", arguments: [-1, 0, 513])
        func refusesCapacity(capacity: Int) async throws {
            let model = try await LlamaCppModel.load(TinyModel().writer())
            await expect(code: .invalidInput) { _ = try model.makeTimeline(capacity: capacity) }
        }
    }
#endif
