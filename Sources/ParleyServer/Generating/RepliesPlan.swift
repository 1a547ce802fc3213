// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Synchronization

/// What is to be generated for a request.
protocol RepliesPlan: Sendable {
    /// About how many tokens all replies take, for the turns in the queue.
    var cost: Int { get }

    /// The number of replies.
    var count: Int { get }

    /// Whether the request can ask for whole turns of a prompt that does not fit to be left out, and does not.
    var mayTruncate: Bool { get }

    /// The first of the replies that have their prompt in common with a reply; that one itself if it is the first.
    ///
    /// The others begin once it writes: then its prompt has been read.
    func first(before choice: Int) -> Int

    /// Checks that a runner can do what is asked for.
    ///
    /// - Throws: `OpenAIError` or ``ServerError``.
    func check(_ runner: any ModelRunner) throws

    /// Generates one of the replies.
    ///
    /// - Throws: any error of the runner; `CancellationError`.
    func reply(
        _ choice: Int, with runner: any ModelRunner, events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws -> MessageCompletion
}

extension RepliesPlan {
    /// Generates all replies, in their order: the next one when one has ended, or sooner beside it where there is room.
    ///
    /// - Parameters:
    ///   - runner: what generates them.
    ///   - room: takes room for a further reply, and returns what gives it back; nil if there is none.
    ///   - used: called with what each reply has used, also for one that was ended before it was complete, and whether
    ///     its prompt is that of a reply before it.
    ///   - events: called with what happens.
    /// - Throws: `OpenAIError` for what the runner cannot do; any error of the runner; `CancellationError`.
    func generate(
        with runner: any ModelRunner, room: () -> (@Sendable () -> Void)?,
        used: @escaping @Sendable (_ stats: GenerationStats, _ sharesPrompt: Bool) -> Void,
        events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws {
        try check(runner)
        guard count > 1 else {
            // Most requests want one; nothing is put between its tokens and the client.
            let completion = try await reply(0, with: runner, events: events)
            if let stats = completion.stats { used(stats, false) }
            try Task.checkCancellation()
            return events(.complete(completion, choice: 0))
        }
        let (changes, continuation) = AsyncStream<ReplyOrder.Change>.makeStream()
        var order = ReplyOrder(firsts: (0..<count).map(first))
        try await withThrowingTaskGroup(of: Void.self) { group in
            func begin(_ choice: Int, _ giveBack: (@Sendable () -> Void)?) {
                group.addTask {
                    defer {
                        giveBack?()
                        continuation.yield(.ended(choice, hasOwnRoom: giveBack != nil))
                    }
                    let writes = Mutex(false)
                    let completion = try await reply(choice, with: runner) { event in
                        if case .response = event,
                            writes.withLock({ hasWritten in
                                defer { hasWritten = true }
                                return !hasWritten
                            })
                        {
                            continuation.yield(.writes(choice))
                        }
                        events(event)
                    }
                    if let stats = completion.stats { used(stats, first(before: choice) != choice) }
                    try Task.checkCancellation()
                    events(.complete(completion, choice: choice))
                }
            }
            func beginNext() {
                while let choice = order.next {
                    // The first one, and those after it, need no room but the request's.
                    let isFree = order.isRoomFree
                    let taken = isFree ? nil : room()
                    guard isFree || taken != nil else { return }
                    order.begin()
                    begin(choice, taken)
                }
            }
            beginNext()
            for await change in changes {
                if case .ended = change { try await group.next() }
                order.note(change)
                beginNext()
                if order.isDone { return }
            }
            // The changes end early only where the request is cancelled.
            throw CancellationError()
        }
    }
}

/// In what order several replies begin, as a pure state machine.
package struct ReplyOrder: Hashable, Sendable {
    /// What happens to a reply.
    package enum Change: Hashable, Sendable {
        /// A piece of it has been written.
        case writes(Int)
        /// It has ended, in the room of the request or in its own.
        case ended(Int, hasOwnRoom: Bool)
    }

    private let firsts: [Int]
    private var begun = 0
    private var ended = 0
    private var writing: Set<Int> = []
    /// Whether the room of the request itself is free for the next of its replies.
    package private(set) var isRoomFree = true

    /// Creates an order.
    ///
    /// - Parameter firsts: for each reply the first of those with its prompt.
    package init(firsts: [Int]) {
        self.firsts = firsts
    }

    /// The next reply to begin; nil if none may.
    package var next: Int? {
        guard begun < firsts.count else { return nil }
        let first = firsts[begun]
        return first == begun || writing.contains(first) ? begun : nil
    }

    /// Whether all replies have ended.
    package var isDone: Bool { ended == firsts.count }

    /// The next reply begins, in the room of the request if it is free.
    package mutating func begin() {
        begun += 1
        isRoomFree = false
    }

    /// Something has happened to a reply.
    package mutating func note(_ change: Change) {
        switch change {
        case .writes(let choice): writing.insert(choice)
        case .ended(let choice, let hasOwnRoom):
            // One that wrote nothing has read its prompt too.
            writing.insert(choice)
            ended += 1
            if !hasOwnRoom { isRoomFree = true }
        }
    }
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
