// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleySystem

/// One model for each role: loaded, swapped and unloaded without touching the other.
///
/// ```swift
/// func open(_ slots: ModelSlots) async throws -> Conversation? {
///     try await slots.load("smollm2-135m", for: .text)
///     return await slots.runner(for: .text)?.createConversation(systemPrompt: "Answer briefly.")
/// }
/// ```
///
/// On a machine with less than 6 GiB of memory only one model is loaded: loading one for images unloads the one for
/// text first. The latest call for a role wins: an earlier one that is still loading is given up.
public actor ModelSlots {
    /// Loads a model and reports the progress.
    public typealias Loader =
        @Sendable (
            _ model: String, ModelRole, LocalConfiguration, _ progress: @escaping @Sendable (LoadingProgress) -> Void
        ) async throws -> LocalModelRunner

    /// With less memory than this, in bytes, a model for images replaces the one for text.
    public static let roomyMemory = 6 << 30

    private let memory: Int
    private let loader: Loader
    private var runners: [ModelRole: LocalModelRunner] = [:]
    private var loading: [ModelRole: Task<LocalModelRunner, any Error>] = [:]
    /// The tasks that unload former models and have not yet freed their memory.
    private var leaving: [ModelRole: Task<Void, Never>] = [:]

    /// Creates empty slots.
    ///
    /// - Parameters:
    ///   - memory: what the machine has, in bytes; nil asks it.
    ///   - loader: how models are loaded.
    public init(memory: Int? = nil, loader: @escaping Loader) {
        self.memory = memory ?? MachineMemory.current().physical
        self.loader = loader
    }

    /// The model that serves a role, if one is loaded: its own, or the one for text where it can do what the role needs.
    public func runner(for role: ModelRole) -> LocalModelRunner? {
        if let own = runners[role] { return own }
        return runners[.text].flatMap { $0.capabilities.isSuperset(of: role.needs) ? $0 : nil }
    }

    /// Loads a model in place of the role's present one. That one is unloaded first, so that both never take memory
    /// together; generations with it end as cancelled.
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
            await replaced?.value
            await displaced?.value
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
            // Too late: a later call has taken the role.
            if case .success(let runner) = result { await runner.unload() }
            throw CancellationError()
        }
        loading[role] = nil
        let runner = try result.get()
        runners[role] = runner
        return runner
    }

    /// Unloads the model of a role, and gives up loading one. Returns when the memory is free, also where the role was
    /// emptied before.
    public func unload(_ role: ModelRole) async {
        await take(role)?.value
    }

    /// Unloads all models.
    public func unloadAll() async {
        let taken = ModelRole.allCases.compactMap { take($0) }
        for task in taken { await task.value }
    }

    /// Empties a slot.
    ///
    /// - Returns: a task that ends when its memory is free; nil where it is free already.
    private func take(_ role: ModelRole) -> Task<Void, Never>? {
        let running = loading.removeValue(forKey: role)
        let runner = runners.removeValue(forKey: role)
        running?.cancel()
        let earlier = leaving[role]
        guard running != nil || runner != nil else { return earlier }
        let task = Task {
            await earlier?.value
            if case .success(let late)? = await running?.result { await late.unload() }
            await runner?.unload()
        }
        leaving[role] = task
        return task
    }
}
