// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyLlamaCpp
    import ParleyRuntime
    import ParleyTesting
    import Testing

    /// Each test runs in a process of its own, where nothing else takes memory meanwhile.
    @Suite("Loading and unloading", .enabled(if: Measuring.Memory.current != nil, "the system tells no memory"))
    struct LoadingCycleTests {
        @Test("a thousand times leaves nothing of a tiny model behind")
        func tiny() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                try await withModelFile(TinyModel().writer()) { try await cycle($0, rounds: 1_000) }
            }
            Measuring.pass(on: result?.standardOutputContent ?? [])
        }

        @Test(
            "many times leaves nothing of the default model behind",
            .enabled(if: References.has(References.defaultModel), References.hint))
        func defaultModel() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let rounds = Measuring.minutes == nil ? 40 : 1_000
                try await cycle(References.url(References.defaultModel), rounds: rounds)
            }
            Measuring.pass(on: result?.standardOutputContent ?? [])
        }
    }

    /// Loads a model, runs a few tokens through it and frees it, again and again.
    private func cycle(_ url: URL, rounds: Int) async throws {
        func once() async throws {
            let model = try await LlamaCppModel.load(url, configuration: .init(context: 512, threads: 1))
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
        }
        for _ in 0..<20 { try await once() }
        let before = try #require(Measuring.Memory.inUse)
        Measuring.tell("\(url.lastPathComponent) loaded and freed 20 times: \(before)")
        var after = before
        for round in 1...rounds {
            try await once()
            guard round % (rounds / 4) == 0 else { continue }
            after = try #require(Measuring.Memory.inUse)
            Measuring.tell("\(url.lastPathComponent) loaded and freed \(round) times more: \(after)")
        }
        // A model of its own takes more, the tiny one too.
        #expect(after.own < before.own + 8, "\(before) before, \(after) after")
    }
#endif
