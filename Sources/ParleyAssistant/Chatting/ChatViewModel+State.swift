// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Observation

extension ChatViewModel {
    /// What the chat shows at the moment.
    public var viewState: ChatViewState {
        let context = dependencies.context()
        return ChatViewState(
            chatID: chatID, messages: shown.messages(messages, in: context),
            status: ChatViewState.Status(
                title: sessionTitle, inputText: inputText, isPinned: chat.isPinned, model: chat.model ?? modelName,
                queued: queued, isGenerating: isGenerating, isPreparing: isPreparing,
                isModelLoaded: isModelLoaded, isModelLoading: isModelLoading, isRecording: isRecording,
                isTranscribing: isTranscribing, isAutoListening: isAutoListening, thinkingEnabled: thinkingEnabled,
                replyingTo: replyingTo, errorMessage: errorMessage, toast: toast, notices: notices,
                suggestedPrompts: suggestedPrompts, pinnedPrompts: pinnedPrompts, searchText: searchText,
                searchResults: searchResults.map(\.id)))
    }

    /// The changes of what is shown: first the whole state, then each change until the reader's task is cancelled.
    ///
    /// A slow reader misses nothing: changes that it has not yet asked for are put together.
    public func changes() -> ChatViewChanges { ChatViewChanges(model: self) }

    /// Waits while a reply that has been written is saved and its actions are carried out: who asks for something right
    /// after its last word need not be refused. Returns at once while one is being written, and where there is none.
    package func concluded() async {
        var state = viewState
        while state.status.isGenerating, !state.status.isPreparing, state.messages.last?.isStreaming == false {
            guard let next = await self.state(after: state) else { return }
            state = next
        }
    }

    /// The state as soon as it differs from an earlier one; nil if the task is cancelled meanwhile.
    func state(after earlier: ChatViewState?) async -> ChatViewState? {
        while !Task.isCancelled {
            let (changed, signal) = AsyncStream<Void>.makeStream()
            let state = withObservationTracking {
                viewState
            } onChange: {
                signal.finish()
            }
            if state != earlier { return state }
            for await _ in changed {}
        }
        return nil
    }
}

/// The changes of what a chat shows.
public struct ChatViewChanges: AsyncSequence, Sendable {
    let model: ChatViewModel

    /// Begins with the whole state.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(model: model) }

    /// Reads the changes one after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let model: ChatViewModel
        private var last: ChatViewState?
        private var pending: ArraySlice<ChatViewChange> = []

        init(model: ChatViewModel) { self.model = model }

        /// The next change; nil if the task is cancelled.
        public mutating func next() async -> ChatViewChange? {
            while pending.isEmpty {
                guard let state = await model.state(after: last) else { return nil }
                pending = (last.map(state.changes) ?? [.state(state)])[...]
                last = state
            }
            return pending.popFirst()
        }
    }
}

extension ChatAttachment {
    /// What is shown for the attachment.
    public var label: String {
        switch self {
        case .image: "image"
        case .document(let url): url.lastPathComponent
        }
    }
}
