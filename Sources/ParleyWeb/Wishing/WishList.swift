// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyJSON
import ParleyServer

/// Fulfils each wish once, however often it comes: who asks again gets the same answer. One that came too early, or that
/// the server could not fulfil, is tried again; one that was refused stays refused.
@MainActor
final class WishList {
    /// The number of answers that are kept.
    static let most = 1_000

    private var answers: [String: Task<JSONObject, any Error>] = [:]
    private var order: [String] = []

    /// Fulfils a wish, or waits for the answer to the same one.
    ///
    /// A wish goes on although the page that had it is gone.
    ///
    /// - Throws: what the work throws.
    func fulfil(
        _ wish: Wish, _ work: @escaping @MainActor (Wish) async throws -> JSONObject
    ) async throws -> JSONObject {
        if let known = answers[wish.id] { return try await known.value }
        let task = Task { try await work(wish) }
        answers[wish.id] = task
        order.append(wish.id)
        if order.count > Self.most { answers[order.removeFirst()] = nil }
        do {
            return try await task.value
        } catch {
            if !Self.isRefused(error) {
                answers[wish.id] = nil
                // It would count again each time that it is tried, and drive the answers of others out.
                order.removeAll { $0 == wish.id }
            }
            throw error
        }
    }

    private static func isRefused(_ error: any Error) -> Bool {
        if let error = error as? AssistantError { return WebPage.answer(to: error).status < 500 }
        return (error as? ServerError).map { $0.status < 500 } ?? false
    }
}
