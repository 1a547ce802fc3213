// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import Synchronization

/// Replies of a chat that are generated again, to see whether they come out the same. Nothing of them is carried out, and
/// the chat stays as it is.
@MainActor
final class Replays {
    /// How often the page is told how far one is.
    static let pace = Duration.milliseconds(250)

    private struct Replay {
        var isRunning = true
        /// The pieces that have come, and the tokens that were kept.
        var written = 0
        var count: Int
        var results: [ReplayComparison] = []
        var failure: String?

        var json: JSONValue {
            [
                "is_running": .bool(isRunning), "written": .integer(written), "tokens": .integer(count),
                "replies": .array(results.map { .object($0.json) }),
                "failure": failure.map { .string($0) } ?? .null,
            ]
        }
    }

    private let admitted: AdmittedModels
    private let hub: EventHub
    private let chat: UUID
    private let clock: any Clock<Duration>
    private var replays: [UUID: Replay] = [:]
    private var running: [UUID: Task<Void, Never>] = [:]

    init(_ admitted: AdmittedModels, hub: EventHub, chat: UUID, clock: any Clock<Duration>) {
        (self.admitted, self.hub, self.chat, self.clock) = (admitted, hub, chat, clock)
    }

    /// How far a message is generated again, or what came of it; null if nobody asked for it.
    func json(of message: UUID) -> JSONValue { replays[message]?.json ?? .null }

    /// Generates a message again.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` if it is being generated again; `AssistantError` if too little was kept.
    func begin(_ node: ChatNode) throws {
        guard running[node.id] == nil else {
            throw ServerError(409, .invalidValue, "The reply is being generated again already.")
        }
        let replies = try KeptReply.replies(of: node)
        replays[node.id] = Replay(count: replies.reduce(0) { $0 + $1.receipt.tokens.count })
        running[node.id] = Task { [weak self] in await self?.run(replies, of: node.id) }
        tell(node.id)
    }

    /// Ends what is being generated again.
    func cancel(_ message: UUID) { running[message]?.cancel() }

    /// Ends everything.
    func close() { for task in running.values { task.cancel() } }

    private func run(_ replies: [KeptReply], of message: UUID) async {
        let pieces = Mutex(0)
        let telling = Task { [weak self, clock] in
            while (try? await clock.sleep(for: Self.pace)) != nil {
                let count = pieces.withLock { $0 }
                guard let self, replays[message]?.written != count else { continue }
                replays[message]?.written = count
                tell(message)
            }
        }
        do {
            for reply in replies {
                let runner = try await runner(of: reply)
                let writer = ResponseWriter(onResponse: { _ in pieces.withLock { $0 += 1 } })
                let result = try await ReplayComparison(of: reply, by: runner, to: writer)
                replays[message]?.results.append(result)
            }
        } catch is CancellationError {
            // Nothing is said about a replay that the reader ended.
            replays[message] = nil
        } catch {
            replays[message]?.failure = (error as? ServerError)?.error.message ?? "\(error)"
        }
        telling.cancel()
        await telling.value
        replays[message]?.isRunning = false
        running[message] = nil
        tell(message)
    }

    /// The model that generated a reply: the same file, by its digest.
    private func runner(of reply: KeptReply) async throws -> any Replaying {
        let receipt = reply.receipt
        let models = await admitted.models.list()
        let named = models.first { $0.id == receipt.model }
        // Receipts of other programs may have another kind of digest.
        let known = receipt.modelDigest.flatMap { $0.hasPrefix("sha256:") ? $0 : nil }
        let same = known.flatMap { digest in models.first { $0.digest == digest } }
        if let same { return try await admitted.runner(same.id, for: "page").runner }
        guard let named, known == nil || named.digest == nil else {
            let reason = named == nil ? "is not on this machine" : "is another file by now"
            throw ServerError(404, .modelNotFound, "The model of the reply, \(receipt.model), \(reason).")
        }
        return try await admitted.runner(named.id, for: "page").runner
    }

    private func tell(_ message: UUID) {
        hub.publish(
            [
                PageEvent(
                    type: "replay.updated",
                    data: [
                        "chat": .string(chat.uuidString), "message": .string(message.uuidString),
                        "replay": json(of: message),
                    ])
            ], chat: chat)
    }
}
