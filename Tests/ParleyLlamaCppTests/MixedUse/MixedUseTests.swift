// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyTestSupport
    import Testing

    /// Runs for so many minutes as ``Measuring`` is told.
    @Suite("Mixed use", .enabled(if: References.has(References.defaultModel), References.hint))
    struct MixedUseTests {
        @Test("replying, stopping and swapping models in both engines at the same time causes no errors and no leaks")
        func mixedUse() async throws {
            let files = [References.defaultModel, "models/gemma3-270m-q4_k_m.gguf"].filter(References.has)
            var use = MixedUse(models: files.map(References.url))
            // After eight rounds each engine has held each model in each role.
            let cycle = Measuring.amount == nil ? 3 : 8
            let clock = ContinuousClock()
            let start = clock.now
            var freed: [ProcessMemory] = []
            repeat {
                for _ in 0..<cycle { await use.round() }
                let busy = ProcessMemory.current
                await use.unload()
                // The engines' threads free what they held after that.
                if Measuring.amount != nil { try await Task.sleep(for: .milliseconds(300)) }
                let time = start.duration(to: clock.now) / .seconds(60)
                let minute = String(format: "%.1f", time)
                guard let memory = ProcessMemory.inUse, let busy else { continue }
                freed.append(memory)
                Measuring.tell("minute \(minute): \(busy); unloaded: \(memory); \(use.figures)")
            } while start.duration(to: clock.now) < .seconds(60 * (Measuring.amount ?? 0))
            for error in use.figures.errors { Issue.record("\(error)") }
            if let first = freed.first, let last = freed.last { #expect(last.own < first.own + 64 << 20, "\(freed)") }
        }
    }
#endif
