// SPDX-License-Identifier: Apache-2.0

public import ParleyRuntime

/// One model for each role: loaded, swapped and unloaded without touching the other.
///
/// ```swift
/// func open(_ slots: ModelSlots) async throws -> Conversation? {
///     try await slots.load("smollm2-135m", for: .text)
///     return await slots.runner(for: .text)?.createConversation(systemPrompt: "Answer briefly.")
/// }
/// ```
///
/// A machine with less than 6 GiB of memory does not hold two models: loading one that sees unloads the one for text
/// first. The latest call for a role wins: what an earlier one is still loading is given up.
public actor ModelSlots {
    /// Loads a model and tells how far it is.
    public typealias Loader =
        @Sendable (
            _ model: String, ModelRole, LocalConfiguration, _ progress: @escaping @Sendable (LoadingProgress) -> Void
        ) async throws -> LocalModelRunner

    /// Below so much memory a model that sees takes the place of the one for text, in bytes.
    public static let roomyMemory = 6 << 30

    private let memory: Int
    private let loader: Loader
    private var runners: [ModelRole: LocalModelRunner] = [:]
    private var loading: [ModelRole: Task<LocalModelRunner, any Error>] = [:]

    /// Creates empty slots.
    ///
    /// - Parameters:
    ///   - memory: what the machine has, in bytes.
    ///   - loader: how models are loaded.
    public init(memory: Int = MachineMemory.current().physical, loader: @escaping Loader) {
        self.memory = memory
        self.loader = loader
    }

    /// The model that serves a role, if one is loaded: its own, or for images the one for text where that sees too.
    public func runner(for role: ModelRole) -> LocalModelRunner? {
        if let own = runners[role] { return own }
        guard role == .vision, let text = runners[.text], text.seesImages else { return nil }
        return text
    }

    /// Loads a model, in place of the one that has the role. That one is unloaded first, so that both never take
    /// memory together; conversations with it end as cancelled.
    ///
    /// - Throws: what the loader throws; the slot is empty then. `CancellationError` where the task is cancelled or a
    ///   later call for the role came.
    @discardableResult
    public func load(
        _ model: String, for role: ModelRole, configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalModelRunner {
        let replaced = take(role)
        let displaced = role == .vision && memory < Self.roomyMemory ? take(.text) : nil
        let task = Task { [loader] in
            await replaced?()
            await displaced?()
            try Task.checkCancellation()
            let runner = try await loader(model, role, configuration, progress)
            guard !Task.isCancelled else {
                await runner.unload()
                throw CancellationError()
            }
            return runner
        }
        loading[role] = task
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        guard loading[role] == task else {
            // Too late: another call has taken the role over.
            if case .success(let runner) = result { await runner.unload() }
            throw CancellationError()
        }
        loading[role] = nil
        let runner = try result.get()
        runners[role] = runner
        return runner
    }

    /// Unloads the model of a role; what is being loaded for it is given up.
    public func unload(_ role: ModelRole) async {
        await take(role)?()
    }

    /// Unloads all models.
    public func unloadAll() async {
        let taken = ModelRole.allCases.compactMap { take($0) }
        for unload in taken { await unload() }
    }

    /// Empties a slot; what is returned waits until its memory is free.
    private func take(_ role: ModelRole) -> (@Sendable () async -> Void)? {
        let running = loading.removeValue(forKey: role)
        let runner = runners.removeValue(forKey: role)
        running?.cancel()
        guard running != nil || runner != nil else { return nil }
        return {
            if case .success(let late)? = await running?.result { await late.unload() }
            await runner?.unload()
        }
    }
}
