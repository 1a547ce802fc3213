// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import ParleySystem

/// What the server has done so far and does now, in numbers only, for its own page.
package struct ServerFigures: Sendable {
    /// The tokens of prompts that were read or taken from caches, and those of them that were in caches.
    package var (promptTokens, cachedTokens) = (0, 0)
    /// The tokens that were generated.
    package var generatedTokens = 0
    /// The sum of the seconds to the first token, and the number of replies that had one.
    package var (firstTokenSeconds, firstTokens) = (0.0, 0)
    /// The replies that run and that wait.
    package var (running, waiting) = (0, 0)
    /// The resident memory of the process; nil where it is not known.
    package var memory: Int?
    /// What the engines tell, by model.
    package var engines: [(model: ServedModel, figures: RunnerFigures)] = []

    /// Creates figures of a server that has done nothing.
    package init() {}
}

extension AdmittedModels {
    /// The figures of now.
    package func figures() async -> ServerFigures {
        var figures = state.metrics.figures
        for one in state.counts {
            figures.running += one.counts.running
            figures.waiting += one.counts.waiting
        }
        for one in await state.models.loaded() {
            figures.engines.append((one.model, await one.figures ?? RunnerFigures()))
        }
        figures.memory = ProcessMemory.resident()
        return figures
    }
}
