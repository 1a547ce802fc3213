// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyConversation
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

        private func lastLogits(of tokens: [TokenID], on timeline: any TokenTimeline) async throws -> [Float] {
            let output = LogitRows()
            try await timeline.step(TimelineStep(tokens: tokens), into: output)
            return Array(output[0])
        }

        @Test("an image has negative token ids, the same ones for the same image")
        func ids() async throws {
            let model = try await model()
            let first = try model.tokens(ofImage: red)
            let second = try model.tokens(ofImage: blue)
            #expect(first.filter { $0 < 0 }.count == TinyProjector().rows)
            #expect(Set(first).isDisjoint(with: second))
            #expect(try model.tokens(ofImage: red) == first)
        }

        @Test("the content of an image changes the logits after it, and the same image gives the same logits")
        func logits() async throws {
            let model = try await model()
            func logits(_ image: Data) async throws -> [Float] {
                let prompt = try [5, 6] + model.tokens(ofImage: image) + [7]
                return try await lastLogits(of: prompt, on: try model.makeTimeline(capacity: 64))
            }
            let seen = try await logits(red)
            let again = try await logits(red)
            let other = try await logits(blue)
            #expect(largestDifference(seen, again) == 0)
            #expect(largestDifference(seen, other) > 0.001)
        }

        @Test("a timeline can be rewound anywhere in a prompt with images, and reuses the common prefix")
        func reuses() async throws {
            let model = try await model()
            let image = try model.tokens(ofImage: red)
            let prompt = try [5, 6] + image + [7, 8] + model.tokens(ofImage: blue) + [9]
            let cold = try await lastLogits(of: prompt, on: try model.makeTimeline(capacity: 64))
            let timeline = try model.makeTimeline(capacity: 64)
            for cut in 1..<prompt.count {
                _ = timeline.rewind(to: 0)
                let output = LogitRows()
                try await timeline.step(TimelineStep(tokens: Array(prompt[..<cut]), positions: .none), into: output)
                let warm = try await lastLogits(of: Array(prompt[cut...]), on: timeline)
                #expect(largestDifference(warm, cold) < 0.01, "cut at \(cut)")
                #expect(timeline.tokens == prompt)
                // A timeline cannot be rewound into the middle of an image.
                let reached = timeline.rewind(to: cut)
                #expect(reached <= cut && (reached == cut || prompt[reached] < 0))
                let rest = try await lastLogits(of: Array(prompt[reached...]), on: timeline)
                #expect(largestDifference(rest, cold) < 0.01, "rewound to \(reached)")
            }
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
                await expect(code: .invalidInput) { _ = try model.tokens(ofImage: bytes) }
            }
            let blind = try await self.model(sees: false)
            await expect(code: .unsupported) { _ = try blind.tokens(ofImage: red) }
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
