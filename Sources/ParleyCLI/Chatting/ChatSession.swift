// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import ParleyTokenizer

/// A conversation with a loaded model.
///
/// It keeps one timeline, so that a turn costs only what is new in it.
package actor ChatSession {
    /// A finished reply.
    package struct Reply: Sendable {
        /// What the model wrote.
        package var text: String
        /// Why it ended.
        package var finish: FinishReason
        /// What it cost.
        package var statistics: GenerationStatistics
        /// How many of the oldest turns were forgotten because they no longer fitted.
        package var droppedTurns: Int
    }

    /// What has been said.
    package private(set) var history: History
    private let model: any TokenModel
    private let renderer: PromptRenderer
    private let timeline: any TokenTimeline
    private let sampling: SamplingOptions
    private let stop: StopRules

    /// - Parameter context: the tokens that the conversation may take.
    package init(
        model: any TokenModel, context: Int, renderer: PromptRenderer, system: String?, sampling: SamplingOptions,
        stop: StopRules
    ) throws {
        self.model = model
        self.renderer = renderer
        self.sampling = sampling
        self.stop = stop
        history = History(system: system)
        timeline = try model.makeTimeline(capacity: context)
    }

    /// Says something and lets the model answer.
    ///
    /// Where the task is cancelled, what the model has written so far stays part of the conversation.
    ///
    /// - Parameter write: called with each piece of the reply.
    /// - Throws: `TemplateError` or `RuntimeError`; the message is then forgotten.
    package func reply(to message: String, write: @Sendable (String) -> Void) async throws -> Reply {
        history.append(.user, message)
        do {
            let (prompt, dropped) = try fittingPrompt()
            var text = ""
            var stop = stop
            stop.strings += renderer.stopStrings
            for try await event in Generation(of: prompt, on: timeline, model: model, sampling: sampling, stop: stop) {
                switch event {
                case .text(let piece):
                    text += piece
                    write(piece)
                case .finished(let reason, let statistics):
                    // A reply stopped before its first word leaves no trace of the question either.
                    if text.isEmpty, reason == .cancelled {
                        history.removeLast()
                    } else {
                        history.append(.assistant, text)
                    }
                    return Reply(text: text, finish: reason, statistics: statistics, droppedTurns: dropped)
                }
            }
            throw CancellationError()
        } catch {
            history.removeLast()
            throw error
        }
    }

    /// Forgets what was said.
    package func clear() {
        history.clear()
    }

    /// Changes the system prompt from the next reply on.
    package func setSystem(_ system: String?) {
        history.system = system
    }

    /// Renders the conversation, without the oldest turns where all of it leaves no room for a reply.
    private func fittingPrompt() throws -> (prompt: [TokenID], dropped: Int) {
        let reserved = min(stop.maxTokens ?? timeline.capacity, timeline.capacity / 2)
        var dropped = 0
        while true {
            let prompt = try renderer.prompt(for: history.all, tokenizer: model.tokenizer)
            if prompt.count <= timeline.capacity - reserved || history.turnCount <= 1 { return (prompt, dropped) }
            history.removeFirstTurn()
            dropped += 1
        }
    }
}
