// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Synchronization

/// A conversation with a model: its history, its functions, and the replies that are streamed into it.
///
/// A runner makes one. It can be used from any thread; keep it as long as the conversation lasts.
///
/// ```swift
/// func ask(_ runner: any ModelRunner) async throws {
///     let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
///     for try await response in conversation.reply(to: "What is the capital of France?") {
///         switch response {
///         case .chunk(let text): show(text)
///         case .complete(let completion): show("\n\(completion.finishReason)")
///         default: break
///         }
///     }
/// }
/// ```
///
/// One reply is generated at a time; ``busyPolicy`` says what a second request gets meanwhile. A user's message enters
/// ``history`` once its prompt is known to fit, the reply before its ``MessageResponse/complete(_:)`` is delivered.
/// After the `complete` of a request that was not turned away, of whatever reason, the user's message is in the
/// history.
///
/// Stopping ends a generation soon but not at once; the first request made in the meantime waits for the end, whatever
/// the policy. ``waitUntilIdle()`` waits without a request. The message of a request that is stopped while it waits
/// stays in the history, in its place.
public final class Conversation: Sendable {
    /// The model that replies.
    public let modelRunner: any ModelRunner
    /// The conversation's identity, which is saved with it.
    public let id: ConversationID

    /// The conversation's only lock. While it is held, no runner and no consumer is called and no other lock is taken,
    /// except that of a session (`ending`): so the order is always conversation, then session.
    let state: Mutex<ConversationState>

    /// Creates a conversation, or continues one.
    public init(modelRunner: any ModelRunner, history: [ChatMessage] = [], id: ConversationID = ConversationID()) {
        self.modelRunner = modelRunner
        self.id = id
        state = Mutex(ConversationState(history: history))
    }

    deinit {
        modelRunner.conversationEnded(id)
    }

    /// The messages so far, a copy.
    public var history: [ChatMessage] { state.withLock { $0.history } }

    /// The functions that the model may call.
    public var functions: [Function] { state.withLock { $0.functions } }

    /// Whether a reply is being generated.
    public var isGenerating: Bool { state.withLock { $0.isGenerating } }

    /// What a request gets while a reply is being generated; ``BusyPolicy/throw`` by default.
    public var busyPolicy: BusyPolicy {
        get { state.withLock { $0.busyPolicy } }
        set { state.withLock { $0.busyPolicy = newValue } }
    }

    /// What happens when the history has grown beyond the model's context; ``ContextPolicy/error`` by default.
    public var contextPolicy: ContextPolicy {
        get { state.withLock { $0.contextPolicy } }
        set { state.withLock { $0.contextPolicy = newValue } }
    }

    /// Lets the model call a function from the next reply on. A function of the same name is replaced.
    public func registerFunction(_ function: Function) {
        state.withLock { $0.register(function) }
    }

    /// Removes a function from the next reply on.
    public func unregisterFunction(named name: String) {
        state.withLock { $0.functions.removeAll { $0.name.isExactly(name) } }
    }

    /// Adds a message, such as the result of a function, without generating a reply.
    ///
    /// While a reply is being generated the message is put before it; that reply does not take it into account.
    public func appendToHistory(_ message: ChatMessage) {
        state.withLock { $0.append(message) }
    }

    /// Removes the last message and returns it; nil where there is none.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while a reply to that message is being generated.
    @discardableResult
    public func removeLastMessage() throws -> ChatMessage? {
        try state.withLock { try $0.removeLast() }
    }

    // MARK: Editing the history

    // The cache of the beginning that an edited history shares with the earlier one is used again.

    /// Replaces the whole history; functions and policies stay.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while a reply is being generated.
    public func replaceHistory(_ messages: [ChatMessage]) throws {
        try state.withLock { try $0.edit { $0 = messages } }
    }

    /// Replaces the message with the same id; later messages stay.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while a reply is being generated, `invalidInput` where no
    ///   message has that id.
    public func replaceMessage(_ message: ChatMessage) throws {
        try state.withLock { try $0.edit { $0[try Self.index(of: message.id, in: $0)] = message } }
    }

    /// Removes every message after the one with an id, to go on from there.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while a reply is being generated, `invalidInput` where no
    ///   message has that id.
    public func truncateHistory(after id: ChatMessage.ID) throws {
        try state.withLock { try $0.edit { $0.removeSubrange((try Self.index(of: id, in: $0) + 1)...) } }
    }

    /// A new conversation that begins as this one does, with the same functions and policies.
    ///
    /// - Parameter id: the last message that both have; nil for the last of the history.
    /// - Returns: the new conversation, with an id of its own.
    /// - Throws: ``ConversationError`` with code `invalidInput` where no message has that id.
    public func branch(after id: ChatMessage.ID? = nil) throws -> Conversation {
        let state = state.withLock { ($0.history, $0.functions, $0.busyPolicy, $0.contextPolicy) }
        let count = try id.map { try Self.index(of: $0, in: state.0) + 1 } ?? state.0.count
        let branch = Conversation(modelRunner: modelRunner, history: Array(state.0.prefix(count)))
        branch.state.withLock { ($0.functions, $0.busyPolicy, $0.contextPolicy) = (state.1, state.2, state.3) }
        return branch
    }

    private static func index(of id: ChatMessage.ID, in messages: [ChatMessage]) throws -> Int {
        guard let index = messages.firstIndex(where: { $0.id == id }) else {
            throw ConversationError(.invalidInput, "The history has no message with the id \(id).")
        }
        return index
    }

    /// Waits until no reply is being generated and none is waiting, or until the task is cancelled.
    public func waitUntilIdle() async {
        let ticket = state.withLock { $0.makeTicket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.isGenerating, !Task.isCancelled else { return false }
                    state.idleWaiters[ticket] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.idleWaiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}
