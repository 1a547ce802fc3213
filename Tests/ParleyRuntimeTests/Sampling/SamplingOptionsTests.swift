// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Sampling options")
struct SamplingOptionsTests {
    @Test("requested options take precedence over recommended ones, and these over the defaults")
    func order() throws {
        let options = try SamplingOptions(
            resolving: .init(temperature: 0.1),
            recommended: [.init(temperature: 1, topK: 7), .init(topK: 9, topP: 0.5, penaltyWindow: 8)], seed: 3)
        #expect(options.temperature == 0.1)
        #expect(options.topK == 7)
        #expect(options.topP == 0.5)
        #expect(options.penaltyWindow == 8)
        #expect(options.minP == SamplingOptions().minP)
        #expect(options.repetitionPenalty == SamplingOptions().repetitionPenalty)
        #expect(options.seed == 3)
        #expect(try SamplingOptions(resolving: .init()).penaltyWindow == 64)
    }

    typealias Case = (file: SamplingOptions.Partial, meant: SamplingOptions.Partial)

    @Test(
        "a file's recommendations are used as llama.cpp does, and ignored if invalid",
        arguments: [
            (.init(topK: -1), .init(topK: 0)), (.init(topK: .min), .init(topK: 0)),
            (.init(topK: .max), .init(topK: .max)),
            (.init(temperature: -0.5), .init(temperature: 0)), (.init(temperature: .nan), .init()),
            (.init(temperature: .infinity), .init()), (.init(topP: 0), .init(topP: .leastNonzeroMagnitude)),
            (.init(topP: 1.5), .init(topP: 1)), (.init(topP: -.infinity), .init()), (.init(minP: -1), .init(minP: 0)),
            (.init(minP: 7), .init(minP: 1)), (.init(minP: .nan), .init()), (.init(repetitionPenalty: 0), .init()),
            (.init(repetitionPenalty: -1.1), .init()), (.init(repetitionPenalty: .infinity), .init()),
            (.init(repetitionPenalty: 1), .init(repetitionPenalty: 1)),
            (.init(penaltyWindow: -1), .init(penaltyWindow: .max)),
            (.init(penaltyWindow: 0), .init(penaltyWindow: 0)), (.init(penaltyWindow: -7), .init(penaltyWindow: 0)),
            (.init(penaltyWindow: 128), .init(penaltyWindow: 128)),
        ] as [Case])
    func recommended(one: Case) throws {
        #expect(one.file.inRange == one.meant)
        #expect(one.file.inRange.inRange == one.meant || one.meant.penaltyWindow == .max)
        let options = try SamplingOptions(resolving: .init(), recommended: [one.file], seed: 1)
        #expect(try options == SamplingOptions(resolving: one.meant, seed: 1))
        _ = try Sampler(options)
    }

    @Test("a requested option out of range is refused by name, whatever is recommended")
    func asked() throws {
        for (asked, name) in [
            (SamplingOptions.Partial(topK: -1), "top-k"), (.init(temperature: .nan), "temperature"),
            (.init(topP: 0), "top-p"), (.init(penaltyWindow: -1), "window"),
        ] {
            let error = #expect(throws: RuntimeError.self) {
                try SamplingOptions(resolving: asked, recommended: [.init(temperature: 1, topK: 40, topP: 1)])
            }
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains(name) == true)
        }
    }
}
