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
/// The tools belong to the loop; the conversation's own functions do not change. Every call that enters the history
/// gets a result there: calls that were denied, failed, were cut off or name no tool get an error, which the model can
/// read.
///
/// From its first reply to its end, functions included, the conversation is generating: its ``Conversation/busyPolicy``
/// decides about other requests, and another loop's, so that no reply or edit comes between a call and its result; nor
/// does a message that is added meanwhile, which the next reply takes into account. Tools and `approve` must therefore
/// wait neither for a reply of the same conversation nor until it is idle.
public struct FunctionLoop: Sendable {
    /// The limits of a loop.
    public struct Limits: Sendable {
        /// The maximum number of replies of the model.
        public var rounds: Int
        /// The maximum duration of the whole loop, including functions; nil for no limit.
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
    /// The tools by name, in the order in which they were given.
    let tools: OrderedDictionary<ExactText, FunctionTool>
    let limits: Limits
    let clock: any Clock<Duration>
    let approve: @Sendable (FunctionCall) async -> FunctionApproval

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - conversation: the conversation that the messages are added to.
    ///   - tools: the functions that the model may call; of several with the same name the last one is used. Functions
    ///     that are registered with the conversation are offered too, but without a tool their calls get an error.
    ///   - limits: the maximum number of replies and the maximum duration.
    ///   - clock: measures the limit on time.
    ///   - approve: decides on each call, one after another, before any call of the same reply runs. By default every
    ///     call is allowed: pass your own where a tool does more than look something up. It may take as long as the
    ///     loop may.
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

    /// Answers a message; if it is nil, continues the history as it is.
    ///
    /// The stream yields the responses of each reply, including a `complete` for each, then a
    /// ``FunctionLoopEvent/result(_:_:)`` for each call, and finally exactly one ``FunctionLoopEvent/finished(_:)``; or
    /// it throws a ``ConversationError``.
    ///
    /// Cancelling the task that iterates the stream stops the generation and the functions, and so does the time limit:
    /// the tasks of functions and of `approve` are cancelled. The loop does not wait for one that ignores cancellation;
    /// its call counts as stopped, whatever it still does.
    ///
    /// Options that require a call apply until one was made; after that, calls are optional.
    public func run(
        _ message: ChatMessage?, generationOptions: GenerationOptions? = nil
    ) -> AsyncThrowingStream<FunctionLoopEvent, any Error> {
        let events = EventBuffer<FunctionLoopEvent> { $0.join($1) }
        let series = ReplySeries()
        let rounds = FunctionRounds(loop: self, options: generationOptions, series: series) { events.append($0) }
        let task = Task {
            do {
                events.append(.finished(try await rounds.run(message)))
                events.finish()
            } catch {
                events.finish(throwing: error)
            }
        }
        return AsyncThrowingStream(events) {
            series.stop()
            task.cancel()
        }
    }
}
