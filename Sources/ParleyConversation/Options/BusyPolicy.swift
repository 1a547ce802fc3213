// SPDX-License-Identifier: Apache-2.0

/// What happens when a reply is requested while the conversation is generating another, or a ``FunctionLoop`` runs.
public struct BusyPolicy: Hashable, Sendable {
    private enum Value { case ignore, queue, `throw` }
    private let value: Value

    /// The new request gets an empty, finished stream, and nothing changes. Where there must be a result
    /// (``Reply/completion``, a ``FunctionLoop``, a typed reply that is waited for), `busy` is thrown all the same.
    public static let ignore = BusyPolicy(value: .ignore)
    /// The new request waits until those before it have ended.
    public static let queue = BusyPolicy(value: .queue)
    /// The new request's stream throws ``ConversationError`` with code `busy`.
    public static let `throw` = BusyPolicy(value: .throw)
}
