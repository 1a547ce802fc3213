// SPDX-License-Identifier: Apache-2.0

import ParleyTestSupport
import ParleyTokenizer
import Testing

/// llama.cpp's greedy continuations, as recorded by `scripts/reference/record_goldens.py`.
struct GreedyGolden: Decodable {
    /// One prompt and its continuation.
    struct Prompt: Decodable, Sendable {
        let prompt: String
        let ids: [TokenID]
        let steps: [Step]
    }

    /// The two likeliest tokens at one step, with natural logarithms of their probabilities.
    struct Step: Decodable, Sendable {
        let best: TokenID
        let bestLog: Double
        let second: TokenID
        let secondLog: Double

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            best = try values.decode(TokenID.self)
            bestLog = try values.decode(Double.self)
            second = try values.decode(TokenID.self)
            secondLog = try values.decode(Double.self)
        }
    }

    let prompts: [Prompt]
}

/// A real model with its recorded continuations.
struct GreedyModel: Sendable, CustomTestStringConvertible {
    let golden: String
    let file: String

    var testDescription: String { golden }

    static let smolLM2 = GreedyModel(golden: "greedy-smollm2", file: "models/smollm2-135m-q4_1.gguf")
    static let gemma3 = GreedyModel(golden: "greedy-gemma3", file: "models/gemma3-270m-q4_k_m.gguf")
    static let all = [smolLM2, gemma3].filter { References.has($0.file) }
}
