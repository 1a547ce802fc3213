// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation

extension LoadedRunner {
    /// What its engine tells of itself; nil where it tells nothing.
    var figures: RunnerFigures? {
        get async { await (runner as? any FigureReporting)?.figures() }
    }
}

/// Writes what engines tell in Prometheus's text form, with the model as a label; what none knows is left out.
package enum EngineFigures {
    /// The lines.
    ///
    /// - Parameter models: the models in memory with their figures.
    /// - Returns: the lines.
    package static func lines(_ models: [(id: String, figures: RunnerFigures)]) -> [String] {
        let kinds: [(name: String, kind: String, value: (RunnerFigures) -> String?)] = [
            ("parley_sequences", "gauge", { text($0.sequences) }),
            ("parley_kv_bytes", "gauge", { text($0.cacheBytes) }),
            ("parley_kv_reserved_bytes", "gauge", { text($0.reservedCacheBytes) }),
            ("parley_set_back_total", "counter", { text($0.setBacks) }),
            ("parley_steps_total", "counter", { text($0.steps) }),
            ("parley_step_rows_total", "counter", { text($0.rows) }),
            ("parley_step_seconds_total", "counter", { $0.stepTime.map { "\($0 / .seconds(1))" } }),
            ("parley_step_threads", "gauge", { text($0.power?.threads) }),
            ("parley_draft_tokens_total", "counter", { text($0.draftedTokens) }),
            ("parley_draft_accepted_tokens_total", "counter", { text($0.acceptedTokens) }),
        ]
        return kinds.flatMap { kind in
            let lines = models.compactMap { model in
                kind.value(model.figures).map { "\(kind.name){model=\"\(escaped(model.id))\"} \($0)" }
            }
            return lines.isEmpty ? [] : ["# TYPE \(kind.name) \(kind.kind)"] + lines
        }
    }

    private static func text(_ number: Int?) -> String? { number.map { "\($0)" } }

    /// A value of a label.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
