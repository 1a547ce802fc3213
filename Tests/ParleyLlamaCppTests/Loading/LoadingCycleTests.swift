// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyLlamaCpp
    import ParleyRuntime
    import ParleyTestSupport
    import ParleyTesting
    import Testing

    /// Each test runs in a process of its own, where nothing else takes memory meanwhile.
    @Suite("Loading and unloading", .enabled(if: ProcessMemory.current != nil, "the system tells no memory"))
    struct LoadingCycleTests {
        @Test("loading a tiny model a thousand times leaks nothing")
        func tiny() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                try await withModelFile(TinyModel().writer()) { try await cycle($0, rounds: 1_000) }
            }
            Measuring.pass(on: result?.standardOutputContent ?? [])
        }

        @Test(
            "loading the default model many times leaks nothing",
            .enabled(if: References.has(References.defaultModel), References.hint))
        func defaultModel() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let rounds = Measuring.amount == nil ? 40 : 1_000
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
        var before = try #require(ProcessMemory.inUse)
        for _ in 0..<10 {
            try await once()
            let memory = try #require(ProcessMemory.inUse)
            if memory.own < before.own { before = memory }
        }
        Measuring.tell("\(url.lastPathComponent) loaded and freed 30 times: \(before)")
        let bound = 8 << 20
        var after = before
        for round in 1...rounds {
            try await once()
            guard round % (rounds / 4) == 0 else { continue }
            after = try await settledMemory(below: before.own + bound)
            Measuring.tell("\(url.lastPathComponent) loaded and freed \(round) times more: \(after)")
        }
        #expect(after.own < before.own + bound, "\(before) before, \(after) after")
    }

    /// The memory in use. It is read repeatedly until it is below a limit or does not fall any more, because a model is
    /// freed on its own thread, shortly after its last reference is released.
    private func settledMemory(below limit: Int) async throws -> ProcessMemory {
        let start = ContinuousClock.now
        var memory = try #require(ProcessMemory.inUse)
        while memory.own >= limit, start.duration(to: .now) < .seconds(300) {
            await Task.yield()
            memory = try #require(ProcessMemory.inUse)
        }
        return memory
    }
#endif
