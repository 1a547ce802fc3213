// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleySystem

/// Holds one model for each role; each can be loaded, replaced and unloaded separately.
///
/// ```swift
/// func open(_ slots: ModelSlots) async throws -> Conversation? {
///     try await slots.load("smollm2-135m", for: .text)
///     return await slots.runner(for: .text)?.createConversation(systemPrompt: "Answer briefly.")
/// }
/// ```
///
/// On a machine with less than 6 GiB of memory, loading the model for images first unloads the one for text; a model for
/// text that is loaded afterwards is kept beside it. The latest call for a role takes precedence; an earlier call that is
/// still loading is cancelled.
public actor ModelSlots {
    /// Loads a model and reports its progress.
    public typealias Loader =
        @Sendable (
            _ model: String, ModelRole, LocalConfiguration, _ progress: @escaping @Sendable (LoadingProgress) -> Void
        ) async throws -> LocalModelRunner

    /// The memory, in bytes, below which a model for images replaces the one for text.
    public static let roomyMemory = 6 << 30

    private let memory: Int
    private let loader: Loader
    private var runners: [ModelRole: LocalModelRunner] = [:]
    private var loading: [ModelRole: Task<LocalModelRunner, any Error>] = [:]
    /// The tasks that are unloading earlier models and have not yet freed their memory.
    private var leaving: [ModelRole: Task<Void, Never>] = [:]

    /// Creates empty slots.
    ///
    /// - Parameters:
    ///   - memory: the machine's memory in bytes; nil to determine it.
    ///   - loader: loads models.
    public init(memory: Int? = nil, loader: @escaping Loader) {
        self.memory = memory ?? MachineMemory.current().physical
        self.loader = loader
    }

    /// The model that serves a role: the role's own, or else the one for text if it has the needed capabilities.
    public func runner(for role: ModelRole) -> LocalModelRunner? {
        if let own = runners[role] { return own }
        return runners[.text].flatMap { $0.capabilities.isSuperset(of: role.needs) ? $0 : nil }
    }

    /// Loads a model and puts it in the place of the role's current one.
    ///
    /// The current model is unloaded first, so that the two are never in memory together; its generations end as
    /// cancelled.
    ///
    /// - Throws: any error of the loader, after which the slot is empty; `CancellationError` if the task is cancelled
    ///   or a later call for the role was made.
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
            // A later call for the role was made while this model was loading.
            if case .success(let runner) = result { await runner.unload() }
            throw CancellationError()
        }
        loading[role] = nil
        let runner = try result.get()
        runners[role] = runner
        return runner
    }

    /// Unloads the model of a role, and cancels loading one.
    ///
    /// Returns when the memory has been freed, including that of a model unloaded by an earlier call.
    public func unload(_ role: ModelRole) async {
        await take(role)?.value
    }

    /// Unloads the models of all roles.
    public func unloadAll() async {
        let taken = ModelRole.allCases.compactMap { take($0) }
        for task in taken { await task.value }
    }

    /// Empties a slot.
    ///
    /// - Returns: a task that ends when its memory is freed; nil if there is none to free.
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
