// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyJSON

/// A chat that lives in the server: its view model, and what publishes it.
///
/// It goes on whether or not somebody looks at it.
@MainActor
final class OpenChat {
    /// How much time lies at least between two pieces of a reply.
    static let pace = Duration.milliseconds(33)

    let model: ChatViewModel
    private(set) var form: ChatForm
    private var publishing: Task<Void, Never>?
    private var counting: Task<Void, Never>?
    /// When somebody last did something with it.
    var used = ContinuousClock.now

    init(_ model: ChatViewModel) {
        self.model = model
        form = ChatForm(model.viewState)
    }

    var id: UUID { model.chatID }

    /// Publishes what changes from now on.
    ///
    /// - Parameters:
    ///   - hub: where it is published.
    ///   - clock: measures the time between two pieces.
    ///   - onChange: called after all changes but more text.
    func publish(to hub: EventHub, clock: any Clock<Duration>, onChange: @escaping @MainActor () -> Void) {
        publishing = Task { [weak self, model] in
            for await change in model.changes() {
                guard let self else { return }
                let before = form.state.status
                hub.publish(form.take(change), chat: model.chatID)
                let now = form.state.status
                // What the context holds changes with turns and models.
                let isTurnOver = before.isGenerating && !now.isGenerating
                if isTurnOver || before.isModelLoaded != now.isModelLoaded || before.model != now.model {
                    count(hub)
                }
                if case .appended = change {
                    // What comes meanwhile is one change with the next.
                    try? await clock.sleep(for: Self.pace)
                } else {
                    onChange()
                }
            }
        }
    }

    /// Finds out how much of the context is taken, which may take a while.
    private func count(_ hub: EventHub) {
        counting?.cancel()
        counting = Task { [weak self, model] in
            let use = await model.contextUse()
            guard let self, !Task.isCancelled else { return }
            hub.publish(form.take(use), chat: model.chatID)
        }
    }

    /// Ends the publishing.
    func close() {
        publishing?.cancel()
        counting?.cancel()
        model.stop()
    }
}
