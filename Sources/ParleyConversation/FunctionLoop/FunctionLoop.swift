// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Answers a message with the help of functions: runs the functions that the model calls and hands back the results,
/// until it answers.
///
/// ```swift
/// func ask(_ conversation: Conversation, tools: [FunctionTool]) async throws {
///     let loop = FunctionLoop(conversation: conversation, tools: tools) { call in
///         call.name == "delete_all" ? .deny(reason: "The user does not want that.") : .allow
///     }
///     for try await event in loop.run(.user("What is the weather in Bern?")) {
///         if case .response(.chunk(let text)) = event { show(text) }
///     }
/// }
/// ```
///
/// The tools belong to the loop: the conversation's own functions stay as they are. Each call that enters the history
/// gets a result there, whatever happens: calls that were denied, failed, were cut off or name no tool get an error,
/// which the model can read.
public struct FunctionLoop: Sendable {
    /// The limits of a loop.
    public struct Limits: Sendable {
        /// How many replies the model may give.
        public var rounds: Int
        /// How long everything may take, functions included; nil for no bound.
        public var time: Duration?
        /// Whether the calls of one reply run at the same time.
        public var runsCallsInParallel: Bool

        /// Creates limits.
        public init(rounds: Int = 8, time: Duration? = nil, runsCallsInParallel: Bool = true) {
            self.rounds = max(rounds, 1)
            self.time = time
            self.runsCallsInParallel = runsCallsInParallel
        }
    }

    /// The conversation that the messages are added to.
    public let conversation: Conversation
    /// In the order in which they were given.
    let tools: OrderedDictionary<ExactText, FunctionTool>
    let limits: Limits
    let clock: any Clock<Duration>
    let approve: @Sendable (FunctionCall) async -> FunctionApproval

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - conversation: the conversation that the messages are added to.
    ///   - tools: what the model may call; of tools of the same name the last counts.
    ///   - limits: when the loop ends at the latest.
    ///   - clock: measures the limit on time.
    ///   - approve: asked for each call before any of its reply is run, one after the other. By default every call is
    ///     allowed: pass your own where a tool does more than look something up. It may take as long as the loop may.
    public init(
        conversation: Conversation, tools: [FunctionTool], limits: Limits = Limits(),
        clock: any Clock<Duration> = ContinuousClock(),
        approve: @escaping @Sendable (FunctionCall) async -> FunctionApproval = { _ in .allow }
    ) {
        self.conversation = conversation
        self.tools = OrderedDictionary(
            tools.map { (ExactText($0.function.name), $0) }, uniquingKeysWith: { _, last in last })
        self.limits = limits
        self.clock = clock
        self.approve = approve
    }

    /// Answers a message, or, where it is nil, the history as it is.
    ///
    /// The stream yields the responses of each reply with its own `complete`, a ``FunctionLoopEvent/result(_:_:)`` for
    /// each call, and exactly one ``FunctionLoopEvent/finished(_:)``, which is the last; or it throws
    /// ``ConversationError``. Cancelling the task that iterates it stops the generation and the functions, and so does
    /// the limit on time: their tasks, and that of `approve`, are cancelled, and one that ignores cancellation is no
    /// longer waited for. Its call counts as stopped, whatever it still does.
    ///
    /// Options that require a call apply until one was made; after that, calls are optional.
    public func run(
        _ message: ChatMessage?, generationOptions: GenerationOptions? = nil
    ) -> AsyncThrowingStream<FunctionLoopEvent, any Error> {
        let events = EventBuffer<FunctionLoopEvent> { $0.join($1) }
        let rounds = FunctionRounds(loop: self, options: generationOptions) { events.append($0) }
        let task = Task {
            do {
                events.append(.finished(try await rounds.run(message)))
                events.finish()
            } catch {
                events.finish(throwing: error)
            }
        }
        return AsyncThrowingStream(events) { task.cancel() }
    }
}
