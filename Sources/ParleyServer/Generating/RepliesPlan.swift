// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// What is to be generated for a request.
protocol RepliesPlan: Sendable {
    /// About how many tokens all replies take, for the turns in the queue.
    var cost: Int { get }

    /// Generates the replies one after the other.
    ///
    /// - Throws: `OpenAIError` for what the runner cannot do; any error of the runner; `CancellationError`.
    func generate(with runner: any ModelRunner, events: @escaping @Sendable (ReplyEvent) -> Void) async throws
}

extension ResponseWriter {
    /// Creates a writer that passes on what happens in one of several replies.
    convenience init(
        choice: Int, events: @escaping @Sendable (ReplyEvent) -> Void,
        onReport: @escaping @Sendable (PromptReport) -> Void = { _ in },
        filter: @escaping @Sendable (MessageResponse) -> MessageResponse? = { $0 }
    ) {
        self.init(
            onAccept: { events(.accepted(choice: choice)) }, onReport: onReport,
            onProbabilities: { events(.probabilities($0, choice: choice)) },
            onResponse: { response in
                if let response = filter(response) { events(.response(response, choice: choice)) }
            })
    }
}
