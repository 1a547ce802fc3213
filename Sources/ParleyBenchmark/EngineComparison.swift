// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// Engines side by side, on the same model and the same prompts.
package struct EngineComparison: Sendable {
    /// The model's name.
    package var model: String
    /// How many times each prompt was measured.
    package var repetitions: Int
    /// One for each engine.
    package var runs: [EngineRun]

    /// Creates a comparison.
    package init(model: String, repetitions: Int, runs: [EngineRun]) {
        self.model = model
        self.repetitions = repetitions
        self.runs = runs
    }

    /// The comparison as one object.
    package var json: JSONValue {
        [
            "model": .string(model), "build": .string(BuildKind.current.rawValue), "repetitions": .integer(repetitions),
            "engines": .array(runs.map(\.json)),
        ]
    }
}
