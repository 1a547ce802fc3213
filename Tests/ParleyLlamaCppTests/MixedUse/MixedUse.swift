// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyConversation
    import ParleyLocal
    import ParleyLocalEngines
    import ParleyModels
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting

    /// Uses models as an app does over a day: runs conversations with two models at the same time, one in each engine,
    /// stops replies and loads, and swaps models, also during replies.
    struct MixedUse {
        /// The numbers of operations and of errors.
        struct Figures: CustomStringConvertible {
            var rounds = 0
            var loads = 0
            var stoppedLoads = 0
            var replies = 0
            var stopped = 0
            var errors: [String] = []

            var description: String {
                "\(rounds) rounds, \(loads) loads (\(stoppedLoads) more stopped), \(replies) replies (\(stopped) of them "
                    + "stopped), \(errors.count) errors"
            }
        }

        /// The files to swap between.
        let models: [URL]
        private(set) var figures = Figures()
        private var random = SplitMix64(seed: 1)
        private let slots: ModelSlots

        init(models: [URL]) {
            self.models = models
            // Models are named by their paths, so the store stays empty.
            let store = ModelStore(
                directory: URL.temporary())
            slots = ModelSlots { model, role, configuration, progress in
                let parts = model.split(separator: " ", maxSplits: 1).map(String.init)
                return try await LocalModelRunner.load(
                    parts[1], engine: .named(parts[0]), store: store, configuration: configuration, progress: progress)
            }
        }

        /// Swaps the model of one role and uses both models. Roles and engines alternate.
        mutating func round() async {
            let roles = ModelRole.allCases
            let role = roles[figures.rounds % 2]
            let engine = ["native", "llama.cpp"][(figures.rounds / 2 + figures.rounds) % 2]
            let model = "\(engine) \(models[(figures.rounds / 4) % models.count].path)"
            figures.rounds += 1
            do {
                if figures.rounds % 3 == 0 { try await stopLoading(model, for: role) }
                try await swap(role, to: model)
                let uses: [@Sendable (LocalModelRunner, UInt64) async throws -> Figures] = [Self.talk, Self.stop]
                for use in uses {
                    try await withThrowingTaskGroup(of: Figures.self) { group in
                        for role in roles {
                            guard let runner = await slots.runner(for: role) else { continue }
                            let seed = random.next()
                            group.addTask { try await use(runner, seed) }
                        }
                        for try await part in group {
                            figures.replies += part.replies
                            figures.stopped += part.stopped
                        }
                    }
                }
            } catch {
                figures.errors.append("round \(figures.rounds), \(model): \(error)")
            }
        }

        /// Frees the models.
        func unload() async {
            await slots.unloadAll()
        }

        private static let configuration = LocalConfiguration(contextSize: 1_024, threads: 1, timelines: 2)

        /// Replaces a model while it generates a reply, which must end as cancelled.
        private mutating func swap(_ role: ModelRole, to model: String) async throws {
            let old = await slots.runner(for: role)
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let reply = Task {
                defer { start.finish() }
                guard let conversation = old?.createConversation(systemPrompt: "Go on and on.") else { return true }
                let options = GenerationOptions(temperature: 1, topP: 1, minP: 0, maxTokens: 900)
                var finish: FinishReason?
                for try await response in conversation.generateResponse(
                    message: .user("Tell me all there is."), generationOptions: options)
                {
                    start.yield()
                    if case .complete(let completion) = response { finish = completion.finishReason }
                }
                return finish == .cancelled || finish == .stop || finish == .length
            }
            for await _ in started { break }
            try await slots.load(model, for: role, configuration: Self.configuration)
            figures.loads += 1
            if old != nil {
                figures.replies += 1
                figures.stopped += 1
            }
            guard try await reply.value else { throw Failure("A reply did not end as stopped when its model went.") }
        }

        /// Cancels loading when a random part of it is done.
        private mutating func stopLoading(_ model: String, for role: ModelRole) async throws {
            let part = Double(random.next() % 1_000) / 1_000
            let (reached, reach) = AsyncStream.makeStream(of: Void.self)
            let load = Task { [slots] in
                defer { reach.finish() }
                try await slots.load(model, for: role, configuration: Self.configuration) { progress in
                    if case .loading(let fraction) = progress, fraction >= part { reach.yield() }
                }
            }
            for await _ in reached { break }
            load.cancel()
            switch await load.result {
            case .success: figures.loads += 1
            case .failure(is CancellationError): figures.stoppedLoads += 1
            case .failure(let error): throw error
            }
        }

        /// Two conversations at once, of three turns each.
        private static func talk(_ runner: LocalModelRunner, seed: UInt64) async throws -> Figures {
            var figures = Figures()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for name in ["Ada", "Bob"] {
                    group.addTask {
                        let conversation = runner.createConversation(systemPrompt: "Be brief. You talk with \(name).")
                        for (number, text) in ["Who are you?", "Name three rivers.", "Which is longest?"].enumerated() {
                            let options = GenerationOptions(
                                temperature: 0.8, seed: seed &+ UInt64(number), maxTokens: 32)
                            let reply = try await conversation.reply(to: text, generationOptions: options).completion
                            guard [.stop, .length].contains(reply.finishReason) else {
                                throw Failure("A reply that nobody stopped ended as \(reply.finishReason).")
                            }
                        }
                        return 3
                    }
                }
                for try await count in group { figures.replies += count }
            }
            return figures
        }

        /// Two conversations at once, stopped at random moments.
        private static func stop(_ runner: LocalModelRunner, seed: UInt64) async throws -> Figures {
            var stress = CancellationStress(rounds: 4, seed: seed, mostPieces: 30)
            // llama.cpp's numbers depend a little on what else is in the batch.
            stress.isDeterministic = false
            let report = try await stress.run(on: runner)
            var figures = Figures()
            figures.replies = report.stopped + report.ended
            figures.stopped = report.stopped
            return figures
        }

        private struct Failure: Error, CustomStringConvertible {
            let description: String

            init(_ description: String) {
                self.description = description
            }
        }
    }
#endif
