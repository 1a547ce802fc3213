// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySampling
import Testing

@Suite("Sampling options")
struct SamplingOptionsTests {
    @Test("what is asked for wins over what is recommended, in order, and that over the usual values")
    func order() {
        let options = SamplingOptions(temperature: 0.1, seed: 3)
            .filled(from: .init(temperature: 1, topK: 7))
            .filled(from: .init(topK: 9, topP: 0.5, penaltyWindow: 8, seed: 4))
            .filled(from: .usual)
        #expect(
            options
                == SamplingOptions(
                    temperature: 0.1, topK: 7, topP: 0.5, minP: 0.05, repetitionPenalty: 1.1, penaltyWindow: 8, seed: 3)
        )
        #expect(SamplingOptions.usual.penaltyWindow == 64)
        #expect(SamplingOptions.usual.seed == nil)
    }

    typealias Case = (file: SamplingOptions, meant: SamplingOptions)

    @Test(
        "what a file recommends is taken as llama.cpp takes it, and passed over where it means nothing",
        arguments: [
            (.init(topK: -1), .init(topK: 0)), (.init(topK: .min), .init(topK: 0)),
            (.init(topK: .max), .init(topK: .max)),
            (.init(temperature: -0.5), .init(temperature: 0)), (.init(temperature: .nan), .init()),
            (.init(temperature: .infinity), .init()),
            (.init(topP: 0), .init(topP: 0)), (.init(topP: -1), .init(topP: 0)),
            (.init(topP: 1.5), .init(topP: 1)), (.init(topP: -.infinity), .init()), (.init(minP: -1), .init(minP: 0)),
            (.init(minP: 7), .init(minP: 1)), (.init(minP: .nan), .init()), (.init(repetitionPenalty: 0), .init()),
            (.init(repetitionPenalty: -1.1), .init()), (.init(repetitionPenalty: .infinity), .init()),
            (.init(repetitionPenalty: 1), .init(repetitionPenalty: 1)),
            (.init(penaltyWindow: -1), .init(penaltyWindow: .max)),
            (.init(penaltyWindow: 0), .init(penaltyWindow: 0)), (.init(penaltyWindow: -7), .init(penaltyWindow: 0)),
            (.init(penaltyWindow: 128), .init(penaltyWindow: 128)),
        ] as [Case])
    func recommended(one: Case) {
        #expect(one.file.inRange == one.meant)
        #expect(one.file.inRange.inRange == one.meant)
        #expect(one.file.inRange.outOfRange == nil)
    }

    @Test(
        "an option out of range is named, with what it has to be",
        arguments: [
            (SamplingOptions(temperature: -1), "temperature", "temperature must be 0 or more, not -1.0"),
            (.init(temperature: .nan), "temperature", "temperature must be 0 or more, not nan"),
            (.init(temperature: .infinity), "temperature", "temperature must be 0 or more, not inf"),
            (.init(topK: -1), "topK", "top-k must be 0 or more, not -1"),
            (.init(topP: -0.5), "topP", "top-p must be from 0 to 1, not -0.5"),
            (.init(minP: 1.5), "minP", "min-p must be from 0 to 1, not 1.5"),
            (.init(repetitionPenalty: 0), "repetitionPenalty", "repetition penalty must be above 0, not 0.0"),
            (.init(penaltyWindow: -1), "penaltyWindow", "the penalty's window must be 0 or more, not -1"),
        ])
    func outOfRange(options: SamplingOptions, option: String, text: String) {
        #expect(options.outOfRange?.option == option)
        #expect(options.outOfRange?.description == text)
    }

    @Test("the usual values and the greedy ones are in range")
    func presets() {
        #expect(SamplingOptions.usual.outOfRange == nil)
        #expect(SamplingOptions.greedy.outOfRange == nil)
        #expect(SamplingOptions().outOfRange == nil)
    }

    @Test("manifests keep the names they had, and hold no seed")
    func manifests() throws {
        let written = #"{"temperature":0.5,"topK":7,"topP":0.25,"repetitionPenalty":2,"repetitionWindow":9,"seed":1}"#
        let read = try JSONDecoder().decode(SamplingOptions.self, from: Data(written.utf8))
        #expect(read == .init(temperature: 0.5, topK: 7, topP: 0.25, repetitionPenalty: 2, penaltyWindow: 9))
        let again = try JSONDecoder().decode([String: Double].self, from: JSONEncoder().encode(read))
        #expect(again["repetitionWindow"] == 9)
        #expect(again.count == 5)
    }
}
