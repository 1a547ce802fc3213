// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import ParleyTestSupport
import ParleyTokenizer
import Testing

@Suite("Power")
struct PowerTests {
    private func load(
        _ architecture: TinyArchitecture, _ policy: PowerPolicy, _ condition: MachineCondition = .init()
    ) async throws -> NativeModel {
        let url = URL.temporary(".gguf")
        try TinyModel(architecture).writer().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var configuration = EngineConfiguration(threads: 4)
        configuration.power = policy
        configuration.condition = { condition }
        return try await NativeModel.load(url, configuration: configuration)
    }

    @Test("logits are the same with each policy and in each condition", arguments: [TinyArchitecture.llama, .lfm2])
    func changesNothing(architecture: TinyArchitecture) async throws {
        let usual = try await load(architecture, .performance)
        let tokens = randomTokens(281, vocabulary: usual.info.vocabularySize)
        let expected = try await usual.logits(of: tokens)
        for heat in MachineCondition.Heat.allCases {
            let model = try await load(architecture, .automatic, .init(heat: heat))
            #expect(firstDifference(try await model.logits(of: tokens), expected) == nil)
        }
    }

    @Test("steps have the rows and threads that the policy allows, and both are told")
    func limits() async throws {
        for (policy, heat, threads, rows, steps) in [
            (PowerPolicy.performance, MachineCondition.Heat.critical, 4, 256, 2),
            (.automatic, .nominal, 4, 256, 2), (.quiet, .nominal, 2, 128, 3), (.automatic, .critical, 1, 64, 5),
        ] {
            let model = try await load(.llama, policy, .init(heat: heat))
            _ = try await model.logits(of: randomTokens(281, vocabulary: model.info.vocabularySize))
            #expect(model.stepFigures.steps == steps)
            let power = try #require(model.power)
            #expect(power.policy == policy)
            #expect(power.limits == StepLimits(threads: threads, rows: rows))
        }
    }
}
