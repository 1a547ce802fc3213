// SPDX-License-Identifier: Apache-2.0

public import Logging
public import ParleyConversation
public import ParleyModels
public import ParleyRuntime
import ParleyTokenizer
import Synchronization

/// A model in this process, as a runner of conversations.
///
/// It may be used from any thread; conversations that generate at the same time share the engine's batches. Each keeps
/// a timeline, so that a turn costs only what is new in it.
///
/// ```swift
/// func greet(_ model: any TokenModel) async throws -> String {
///     let runner = try LocalModelRunner(model)
///     let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
///     return try await conversation.reply(to: "Hello!").completion.message.text
/// }
/// ```
///
/// Missing abilities of the model's template are replaced: functions are described in the system message where it takes
/// no tools (the completion's ``GenerationInfo/prompt`` says so), and a model without a template gets ChatML.
public final class LocalModelRunner: ModelRunner {
    /// The model's name.
    public let modelID: String
    /// What the model is: its name, architecture, sizes and chat template.
    public let info: ModelDescription
    /// The tokens that a prompt and its reply may have together.
    public let contextSize: Int
    /// Whether prompts are made with a template of the model's, from its file or its manifest; otherwise it is ChatML.
    public let hasChatTemplate: Bool
    /// What the model can do, as its template and its engine say.
    public let capabilities: ModelCapabilities
    /// Whether messages may hold images; where it is false, images are left out of prompts and the completion says so.
    public var seesImages: Bool { capabilities.contains(.vision) }

    private let gate = RunnerGate()
    private let sampling: SamplingOptions.Partial
    /// The parts that are freed when the model is unloaded. No other lock is taken inside this one.
    private let loaded: Mutex<LoadedParts?>
    /// The task that unloads the model, once that is asked for; all callers wait for it. No other lock is taken inside
    /// this one.
    private let unloading = Mutex<Task<Void, Never>?>(nil)

    /// Makes a runner of a loaded model.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - id: the name; nil takes the model's own.
    ///   - contextSize: the tokens that a prompt and its reply may have together, at most what the engine was loaded
    ///     for; nil takes the context that the model was trained for.
    ///   - chatTemplate: a template to use in place of the model's own; nil takes the model's.
    ///   - sampling: defaults for values that neither a generation's options nor the model's file give; a value out of
    ///     range becomes the nearest one in it.
    ///   - timelines: how many conversations keep their cache.
    ///   - logger: told what is kept for conversations and what each reply took; see ``LocalConfiguration/logger``.
    /// - Throws: ``ConversationError`` with code `modelLoadingFailed` where the model's chat template
    ///   cannot be read, `invalidInput` for a context of no tokens.
    public init(
        _ model: any TokenModel, id: String? = nil, contextSize: Int? = nil, chatTemplate: String? = nil,
        sampling: SamplingOptions.Partial = .init(), timelines: Int = 4,
        logger: Logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        info = model.info
        modelID = id ?? model.info.name
        let contextSize = contextSize ?? model.info.trainedContext
        guard contextSize > 0 else {
            throw ConversationError(.invalidInput, "contextSize is out of range; it has to be 1 or more.")
        }
        self.contextSize = contextSize
        self.sampling = sampling
        let images = (model as? any ImageTokenModel).flatMap { $0.seesImages ? $0 : nil }
        let renderer = try PromptRenderer(
            chatTemplate ?? model.info.chatTemplate, tokenizer: model.tokenizer, images: images)
        hasChatTemplate = renderer.isModelsOwn
        if !hasChatTemplate { logger.notice("The model has no chat template; ChatML is used.") }
        capabilities = renderer.capabilities
        loaded = Mutex(
            LoadedParts(
                model: model, renderer: renderer,
                timelines: TimelinePool(model: model, capacity: contextSize, limit: timelines, logger: logger),
                constraints: ConstraintStore(model.tokenizer), logger: logger))
    }

    /// Generates one reply; see ``ModelRunner/generate(_:to:)``.
    ///
    /// - Throws: ``ConversationError``.
    public func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        try await gate.run(writer) {
            let deadline = request.options.timeout.map { ContinuousClock.now + $0 }
            do {
                return try await prepare(request, try parts(), deadline).generate(to: writer)
            } catch is PromptDeadlinePassed {
                return GenerationOutcome(.timeout)
            }
        }
    }

    /// Makes prompt and rules. The many errors that a cancelled task causes become one.
    private func prepare(
        _ request: GenerationRequest, _ parts: LoadedParts, _ deadline: ContinuousClock.Instant?
    ) async throws -> LocalReply {
        do {
            let prompt =
                if request.contextPolicy == .summarise {
                    try await SummarisedPrompt(request: request, parts: parts, context: contextSize, deadline: deadline)
                        .make()
                } else {
                    try parts.renderer.fit(request, context: contextSize, deadline: deadline)
                }
            return try LocalReply(
                request, prompt, parts: parts, sampling: [info.sampling, sampling], deadline: deadline)
        } catch let error as PromptDeadlinePassed {
            throw error
        } catch  where Task.isCancelled && (error as? ConversationError)?.code != .promptExceedsContext {
            throw CancellationError()
        }
    }

    /// The size in tokens of the exact prompt that would be sent, functions and schema included.
    ///
    /// - Throws: ``ConversationError``.
    public func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        try gate.requireOpen()
        let options = options ?? GenerationOptions()
        return try parts().renderer.render(messages, functions: functions, options: options).tokens.count
    }

    /// Runs one token through the model, so that the first reply does not pay for what an engine does only once.
    ///
    /// - Throws: what the engine throws.
    package func warmUp() async throws {
        let model = try parts().model
        let timeline = try model.makeTimeline(capacity: 1)
        try await timeline.step(TimelineStep(tokens: [model.tokenizer.beginningOfText ?? 0]), into: LogitRows())
    }

    /// Ends running generations as cancelled, and then frees the model and what is kept for its conversations.
    ///
    /// Returns when the memory has been freed, also where somebody else has asked before. What the app itself still
    /// holds, the model or a timeline, stays.
    public func unload() async {
        let task = unloading.withLock { task in
            let running = task ?? Task { await free() }
            task = running
            return running
        }
        await task.value
    }

    private func free() async {
        await gate.close()
        var freed = loaded.withLock { loaded in
            defer { loaded = nil }
            return loaded
        }
        let lifetime = freed?.model.lifetime
        freed = nil
        await lifetime?.waitUntilFreed()
    }

    /// Frees the cache and the summary that are kept for a conversation.
    public func conversationEnded(_ id: ConversationID) {
        let loaded = loaded.withLock { $0 }
        loaded?.timelines.remove(id)
        loaded?.summaries.remove(id)
    }

    /// How many conversations have a timeline that waits for their next turn.
    package var keptTimelines: Int { loaded.withLock { $0 }?.timelines.idleCount ?? 0 }

    /// How many conversations have a summary that waits for their next turn.
    package var keptSummaries: Int { loaded.withLock { $0 }?.summaries.count ?? 0 }

    private func parts() throws -> LoadedParts {
        if let parts = loaded.withLock({ $0 }) { return parts }
        throw ConversationError(.modelNotLoaded, "The model has been unloaded; load it again to go on.")
    }
}

/// A model with what is kept for its conversations.
struct LoadedParts: Sendable {
    let model: any TokenModel
    let renderer: PromptRenderer
    let timelines: TimelinePool
    let summaries = SummaryStore()
    let constraints: ConstraintStore
    let logger: Logger
}
