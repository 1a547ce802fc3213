// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Conformance of local models")
struct ConformanceTests {
    @Test("A local runner over a scripted model conforms", arguments: ModelRunnerConformance.checks)
    func scripted(check: ModelRunnerConformance.Check) async throws {
        let reply = "<think>They want numbers.</think>one, two, three, four, five, six 👩‍👩‍👧 e\u{301}ight, nine and ten"
        var subject = ModelRunnerConformance.Subject { try ScriptedRunners.runner(saying: reply) }
        subject.options.maxTokens = 500
        try await check.run(on: subject)
    }

    @Test(
        "A local runner over a tiny model of the native engine conforms",
        arguments: ModelRunnerConformance.checks)
    func tiny(check: ModelRunnerConformance.Check) async throws {
        let subject = ModelRunnerConformance.Subject {
            let url = URL.temporary(".gguf")
            try TinyModel().write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let model = try await NativeModel.load(url, configuration: .init(context: 4_096, threads: 1))
            return try LocalModelRunner(model, contextSize: model.context, sampling: .init(repetitionPenalty: 1))
        }
        try await check.run(on: subject)
    }

    @Test(
        "A local runner over the default model conforms",
        .enabled(if: References.has(References.defaultModel), References.hint), arguments: ModelRunnerConformance.checks
    )
    func defaultModel(check: ModelRunnerConformance.Check) async throws {
        try await check.run(on: ModelRunnerConformance.Subject { try await DefaultModel.runner() })
    }
}
