// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// The results of several engines with the same model and the same prompts.
package struct EngineComparison: Sendable {
    /// The model's name.
    package var model: String
    /// The number of measurements of each prompt.
    package var repetitions: Int
    /// The results of each engine.
    package var runs: [EngineRun]

    /// Creates a comparison.
    package init(model: String, repetitions: Int, runs: [EngineRun]) {
        self.model = model
        self.repetitions = repetitions
        self.runs = runs
    }

    /// The comparison as a JSON object.
    package var json: JSONValue {
        [
            "model": .string(model), "build": .string(BuildKind.current.rawValue), "repetitions": .integer(repetitions),
            "engines": .array(runs.map(\.json)),
        ]
    }
}
