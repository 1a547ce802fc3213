// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Admits generations to a runner until it is unloaded, and makes unloading wait for those that are running.
///
/// ```swift
/// final class Remote {
///     let gate = RunnerGate()
///
///     func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
///         try await gate.run(writer) { GenerationOutcome(.stop) }
///     }
///
///     func unload() async { await gate.close() }
/// }
/// ```
public final class RunnerGate: Sendable {
    private struct State {
        var isOpen = true
        var nextTicket = 0
        var inside: [Int: ResponseWriter] = [:]
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// No other lock is taken while this one is held: writers are stopped and continuations resumed after its release.
    private let state = Mutex(State())

    /// Creates an open gate.
    public init() {}

    /// Whether new generations are admitted.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Runs a generation that `close()` waits for.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded` if the gate is closed, and any error of `body`.
    public func run<Value>(_ writer: ResponseWriter, _ body: () async throws -> Value) async throws -> Value {
        let ticket = try state.withLock { state in
            guard state.isOpen else { throw Self.closed }
            state.nextTicket += 1
            state.inside[state.nextTicket] = writer
            return state.nextTicket
        }
        defer { leave(ticket) }
        return try await body()
    }

    /// Throws if the gate is closed.
    ///
    /// - Throws: ``ConversationError`` with code `modelNotLoaded`.
    public func requireOpen() throws {
        guard isOpen else { throw Self.closed }
    }

    /// Closes the gate, stops the running generations and waits until they have ended.
    ///
    /// Until then they use the memory that is about to be freed, so cancelling the task does not end the wait. The
    /// consumers' callbacks are not waited for.
    public func close() async {
        let inside = state.withLock { state in
            state.isOpen = false
            return Array(state.inside.values)
        }
        for writer in inside { writer.stop() }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.inside.isEmpty { state.closers.append(continuation) }
                return state.inside.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func leave(_ ticket: Int) {
        let closers = state.withLock { state in
            state.inside[ticket] = nil
            guard state.inside.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    private static let closed = ConversationError(
        .modelNotLoaded, "The model has been unloaded; load it again to go on. The history can still be read.")
}
