// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyConversation
    import ParleyEngineCases
    import ParleyLlamaCpp
    import ParleyLocal
    import ParleyRuntime
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite("Images in llama.cpp")
    struct ImageTests {
        private let red = plainPNG(side: 40, red: 255, green: 0, blue: 0)
        private let blue = plainPNG(side: 40, red: 0, green: 0, blue: 255)

        /// A tiny model, with a projector or without.
        private func model(sees: Bool = true) async throws -> LlamaCppModel {
            try await withModelFile(TinyModel().writer()) { model in
                try await withModelFile(TinyProjector().writer()) { projector in
                    try await LlamaCppModel.load(
                        model, configuration: .init(context: 512, threads: 1, projector: sees ? projector : nil))
                }
            }
        }

        private func prompt(_ parts: ModelInput...) -> ModelInput {
            parts.reduce(into: ModelInput()) { $0.append($1) }
        }

        /// Appends what follows the first positions of an input; returns the last logits.
        @discardableResult
        private func run(
            _ input: ModelInput, from position: Int = 0, on timeline: any TokenTimeline
        ) async throws -> [Float] {
            let output = LogitRows()
            var position = position
            while let part = input.part(at: position) {
                switch part {
                case .tokens(let tokens): try await timeline.step(TimelineStep(tokens: Array(tokens)), into: output)
                case .embedding(let embedding): try await timeline.step(over: embedding)
                }
                position += part.count
            }
            return output.count == 0 ? [] : Array(output[0])
        }

        private func logits(of input: ModelInput, _ model: LlamaCppModel) async throws -> [Float] {
            try await run(input, on: try model.makeTimeline(capacity: 64))
        }

        @Test("an image is an embedding of all its rows, with the same identity for the same file only")
        func identity() async throws {
            let model = try await model()
            let first = try model.input(ofImage: red)
            let second = try model.input(ofImage: blue)
            #expect(first.embeddings.map(\.count) == [TinyProjector().rows])
            #expect(first.tokens.allSatisfy { $0 >= 0 })
            #expect(first.embeddings != second.embeddings)
            #expect(try model.input(ofImage: red) == first)
            // Still the same when so many others were shown that it has to be read again.
            for shade in 0..<70 {
                _ = try model.input(ofImage: plainPNG(side: 40, red: UInt8(shade), green: 9, blue: 9))
            }
            #expect(try model.input(ofImage: red) == first)
        }

        @Test("the content of an image changes the logits after it, and the same image gives the same logits")
        func content() async throws {
            let model = try await model()
            let seen = try await logits(of: prompt([5, 6], model.input(ofImage: red), [7]), model)
            let again = try await logits(of: prompt([5, 6], model.input(ofImage: red), [7]), model)
            let other = try await logits(of: prompt([5, 6], model.input(ofImage: blue), [7]), model)
            #expect(largestDifference(seen, again) == 0)
            #expect(largestDifference(seen, other) > 0.001)
        }

        @Test("a timeline can be rewound to any position that is not inside an image, and reuses the common prefix")
        func rewinds() async throws {
            let model = try await model()
            let input = try prompt([5, 6], model.input(ofImage: red), [7, 8], model.input(ofImage: blue), [9])
            let cold = try await logits(of: input, model)
            let timeline = try model.makeTimeline(capacity: 64)
            for cut in 0..<input.count {
                try await run(input, from: timeline.contents.count, on: timeline)
                #expect(timeline.contents == input)
                let reached = timeline.rewind(to: cut)
                #expect(reached == input.boundary(at: cut))
                #expect(timeline.contents.count == reached)
                let rest = try await run(input, from: reached, on: timeline)
                #expect(largestDifference(rest, cold) < 0.01, "rewound to \(reached)")
            }
        }

        @Test("generations reuse an image of the earlier prompt, but not another image in its place")
        func reuses() async throws {
            let model = try await model()
            let image = try model.input(ofImage: red)
            let timeline = try model.makeTimeline(capacity: 64)
            func reply(_ input: ModelInput, on timeline: any TokenTimeline) async throws -> (
                tokens: [TokenID], cached: Int
            ) {
                var generation = try Generation(
                    of: input, on: timeline, model: model, sampling: .greedy,
                    stop: .init(maxTokens: 5, ignoresEndOfGeneration: true))
                var tokens: [TokenID] = []
                while let token = try await generation.next() { tokens.append(token) }
                return (tokens, generation.statistics.cachedPromptTokens)
            }
            let first = prompt([5, 6], image, [7])
            #expect(try await reply(first, on: timeline).cached == 0)
            let second = try prompt([5, 6], image, [8, 9], model.input(ofImage: blue), [10])
            let warm = try await reply(second, on: timeline)
            #expect(warm.cached >= first.count - 1)
            let cold = try await reply(second, on: try model.makeTimeline(capacity: 64))
            #expect(warm.tokens == cold.tokens)
            let exchanged = try prompt([5, 6], model.input(ofImage: blue), [8, 9], image, [10])
            let other = try await reply(exchanged, on: timeline)
            #expect(other.cached < first.count - 1)
            #expect(timeline.contents.commonPrefix(with: exchanged) == exchanged.count)
        }

        @Test("a step over an image that is cancelled appends all of it or nothing, and the timeline can go on")
        func cancels() async throws {
            let model = try await model()
            let input = try prompt([5, 6], model.input(ofImage: red), [7])
            let cold = try await logits(of: input, model)
            for yields in 0..<20 {
                let timeline = try model.makeTimeline(capacity: 64)
                let step = Task { _ = try await run(input, on: timeline) }
                for _ in 0..<yields { await Task.yield() }
                step.cancel()
                _ = await step.result
                let held = timeline.contents
                #expect(held.commonPrefix(with: input) == held.count)
                #expect(input.boundary(at: held.count) == held.count)
                let reached = timeline.rewind(to: min(held.count, input.count - 1))
                let rest = try await run(input, from: reached, on: timeline)
                #expect(largestDifference(rest, cold) < 0.01, "\(held.count) held")
            }
        }

        @Test("a step runs one image, so that other replies go on between those of several prompts")
        func oneImageAStep() async throws {
            let model = try await model()
            let image = try #require(try model.input(ofImage: red).embeddings.first)
            let timelines = try (0..<3).map { _ in try model.makeTimeline(capacity: 64) }
            let before = model.stepFigures.steps
            // On the model's thread, so that all of them wait for the same step.
            try await withTaskExecutorPreference(model.executor) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for timeline in timelines { group.addTask { try await timeline.step(over: image) } }
                    try await group.waitForAll()
                }
            }
            #expect(model.stepFigures.steps - before == timelines.count)
        }

        @Test("an image that another model has read, or that no model has, is refused")
        func refusesForeignImages() async throws {
            let model = try await model()
            let timeline = try model.makeTimeline(capacity: 64)
            let foreign = try await self.model().input(ofImage: red).embeddings
            for embedding in foreign + [InputEmbedding(identity: [1], count: 4, payload: red)] {
                await expect(code: .invalidInput) { try await timeline.step(over: embedding) }
            }
            let blind = try await self.model(sees: false).makeTimeline(capacity: 64)
            for embedding in foreign { await expect(code: .unsupported) { try await blind.step(over: embedding) } }
            #expect(timeline.contents.isEmpty)
        }

        @Test("a message may hold images; without a projector they are left out, and the completion says so")
        func conversations() async throws {
            let message = ChatMessage(role: .user, content: [.text("What is "), .image(red), .text("this?")])
            let options = GenerationOptions(temperature: 0, maxTokens: 8)
            let seeing = try LocalModelRunner(try await model(), contextSize: 512)
            #expect(seeing.seesImages)
            let seen = try await seeing.createConversation().reply(to: message, generationOptions: options).completion
            #expect(seen.info.prompt.droppedImages == 0)
            let blind = try LocalModelRunner(try await model(sees: false), contextSize: 512)
            #expect(!blind.seesImages)
            let unseen = try await blind.createConversation().reply(to: message, generationOptions: options).completion
            #expect(unseen.info.prompt.droppedImages == 1)
            let counts = try await [seeing, blind].asyncMap {
                try await $0.promptTokenCount(messages: [message], functions: [], options: nil)
            }
            #expect(counts[0] > counts[1])
        }

        @Test("anything but an image is refused")
        func refusesOthers() async throws {
            let model = try await model()
            for bytes in [Data(), Data([0xFF, 0xD8, 0xFF]), Data("GIF89a".utf8), red.prefix(40)] {
                await expect(code: .invalidInput) { _ = try model.input(ofImage: bytes) }
            }
            let blind = try await self.model(sees: false)
            await expect(code: .unsupported) { _ = try blind.input(ofImage: red) }
        }

        @Test("a projector of another model's width is refused with llama.cpp's own words")
        func refusesForeignProjector() async throws {
            try await withModelFile(TinyModel().writer()) { model in
                try await withModelFile(TinyProjector(modelWidth: 48).writer()) { projector in
                    let error = await expect(code: .unsupported) {
                        _ = try await LlamaCppModel.load(
                            model, configuration: .init(context: 512, threads: 1, projector: projector))
                    }
                    #expect(error?.message.contains("mismatch") == true)
                }
            }
        }
    }

    extension Array {
        /// What `transform` makes of each element, one after the other.
        fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
            var results: [Result] = []
            for element in self { results.append(try await transform(element)) }
            return results
        }
    }
#endif
