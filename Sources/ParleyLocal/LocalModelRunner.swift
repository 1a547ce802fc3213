// SPDX-License-Identifier: Apache-2.0

public import Logging
public import ParleyConversation
import ParleyDialect
public import ParleyModels
public import ParleyRuntime
import ParleySystem
import ParleyTokenizer
import Synchronization

/// A runner of conversations with a model in this process.
///
/// It may be used from any thread. Conversations that generate at the same time share the engine's batches. Each
/// conversation keeps a timeline, so that only the new tokens of a turn have to be processed.
///
/// ```swift
/// func greet(_ model: any TokenModel) async throws -> String {
///     let runner = try LocalModelRunner(model)
///     let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
///     return try await conversation.reply(to: "Hello!").completion.message.text
/// }
/// ```
///
/// Capabilities that the model's chat template lacks are replaced. If it does not support tools, functions are
/// described in the system message, and the completion's ``GenerationInfo/prompt`` reports this. A model without a
/// template uses ChatML.
public final class LocalModelRunner: ModelRunner {
    /// The name of the model.
    public let modelID: String
    /// The name, architecture, sizes and chat template of the model.
    public let info: ModelDescription
    /// The maximum number of tokens in a prompt and its reply together.
    public let contextSize: Int
    /// Whether prompts use a chat template from the model's file or manifest; otherwise they use ChatML.
    public let hasChatTemplate: Bool
    /// The capabilities that the chat template and the engine support.
    public let capabilities: ModelCapabilities
    /// What it can do beyond replying: everything but what the model itself cannot.
    public let abilities: RunnerAbilities
    /// Whether messages may contain images; if not, images are left out of prompts, which the completion reports.
    public var seesImages: Bool { capabilities.contains(.vision) }

    private let gate = RunnerGate()
    /// What writes down the sounds of messages. No other lock is taken while this one is held.
    private let transcripts = Mutex<SoundTranscripts?>(nil)
    /// The sampling options for values that a request leaves open.
    private let sampling: SamplingOptions
    /// The parts that are freed when the model is unloaded. No other lock is taken while this one is held.
    private let loaded: Mutex<LoadedParts?>
    /// The task that unloads the model, once requested; all callers of `unload` wait for it. No other lock is taken
    /// while this one is held.
    private let unloading = Mutex<Task<Void, Never>?>(nil)
    /// How many conversations exist of each id: one may be resumed while an earlier one with its id still exists. No
    /// other lock is taken while this one is held.
    private let conversations = Mutex<[ConversationID: Int]>([:])

    /// Creates a runner for a loaded model.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - id: the name; nil for the name in the model's description.
    ///   - contextSize: the maximum number of tokens in a prompt and its reply together, up to the context that the
    ///     engine was loaded for; nil for the context that the model was trained for.
    ///   - chatTemplate: a template to use instead of the model's own; nil for the model's.
    ///   - sampling: defaults for values that neither a request's options nor the model's file specify; a value out of
    ///     range is replaced by the nearest one in range.
    ///   - timelines: the number of conversations whose cache is kept.
    ///   - logger: records what is kept for conversations and the figures of each reply; see
    ///     ``LocalConfiguration/logger``.
    /// - Throws: ``ConversationError`` with code `modelLoadingFailed` if the model's chat template cannot be parsed,
    ///   `invalidInput` if the context has no tokens.
    public convenience init(
        _ model: any TokenModel, id: String? = nil, contextSize: Int? = nil, chatTemplate: String? = nil,
        sampling: SamplingOptions = .init(), timelines: Int = 4,
        logger: Logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        try self.init(
            model, id: id, contextSize: contextSize, chatTemplate: chatTemplate, sampling: sampling,
            timelines: timelines, caches: nil, logger: logger)
    }

    /// Creates a runner that keeps caches in a folder.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - id: the name; nil for the name in the model's description.
    ///   - contextSize: the maximum number of tokens in a prompt and its reply together; nil for the trained context.
    ///   - chatTemplate: a template to use instead of the model's own; nil for the model's.
    ///   - sampling: defaults for values that neither a request's options nor the model's file specify.
    ///   - timelines: the number of conversations whose cache is kept in memory.
    ///   - cacheMemory: the memory of all caches together, in bytes, where the model tells how much a token takes; nil for
    ///     no limit.
    ///   - caches: the folder, and what identifies the model's weights in its files; nil to keep no caches in files.
    ///   - logger: records what is kept for conversations and the figures of each reply.
    /// - Throws: ``ConversationError``, as the public initialiser.
    package init(
        _ model: any TokenModel, id: String? = nil, contextSize: Int? = nil, chatTemplate: String? = nil,
        sampling: SamplingOptions = .init(), timelines: Int = 4, cacheMemory: Int? = nil,
        caches: (folder: CacheFolder, weights: String)?,
        logger: Logger = Logger(label: "parley") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        info = model.info
        modelID = id ?? model.info.name
        let contextSize = contextSize ?? model.info.trainedContext
        guard contextSize > 0 else {
            throw ConversationError(.invalidInput, "contextSize is out of range; it has to be 1 or more.")
        }
        self.contextSize = contextSize
        self.sampling = info.sampling.inRange.filled(from: sampling.inRange)
        let images = (model as? any ImageTokenModel).flatMap { $0.seesImages ? $0 : nil }
        let renderer = try PromptRenderer(
            chatTemplate ?? model.info.chatTemplate, tokenizer: model.tokenizer, images: images)
        hasChatTemplate = renderer.isModelsOwn
        if !hasChatTemplate { logger.notice("The model has no chat template; ChatML is used.") }
        capabilities = renderer.capabilities
        var abilities: RunnerAbilities = [.probabilities, .penalties, .logitBias, .continuing]
        if capabilities.contains(.vision) { abilities.insert(.images) }
        if model.tokenizer.fillInMiddle != nil { abilities.insert(.fillingIn) }
        self.abilities = abilities
        loaded = Mutex(
            LoadedParts(
                model: model, renderer: renderer,
                timelines: TimelinePool(
                    model: model, capacity: contextSize, limit: timelines,
                    positions: cacheMemory.flatMap { bytes in model.cacheBytesPerToken.map { bytes / max($0, 1) } },
                    kept: caches.map { KeptTimelines($0.folder, model: $0.weights, logger: logger) }, logger: logger),
                constraints: ConstraintStore(model.tokenizer), logger: logger))
    }

    /// Generates one reply; see ``ModelRunner/generate(_:to:)``.
    ///
    /// - Throws: ``ConversationError``.
    public func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        try await generate(to: writer, within: request.options.timeout) { try await prepare(request, $0, $2) }
    }

    /// Generates a reply.
    ///
    /// - Parameters:
    ///   - writer: receives the parts of the reply.
    ///   - timeout: how long all of it may take; nil for no limit.
    ///   - prepare: builds the prompt and the rules, with the sampling options that are left open and the deadline.
    /// - Returns: how it ended.
    /// - Throws: ``ConversationError``.
    func generate(
        to writer: ResponseWriter, within timeout: Duration?,
        _ prepare: (LoadedParts, SamplingOptions, ContinuousClock.Instant?) async throws -> LocalReply
    ) async throws -> GenerationOutcome {
        try await gate.run(writer) {
            let deadline = timeout?.foreseeable.map { ContinuousClock.now + $0 }
            do {
                return try await prepare(try parts(), sampling, deadline).generate(to: writer)
            } catch is PromptDeadlinePassed {
                return GenerationOutcome(.timeout)
            }
        }
    }

    /// Generates a reply again from the tokens of its prompt.
    ///
    /// - Parameters:
    ///   - prompt: the prompt as it was kept.
    ///   - writer: receives the parts of the reply.
    /// - Returns: how it ended, with its tokens.
    /// - Throws: ``ConversationError``; `CancellationError` if the task is cancelled before it begins.
    package func generate(
        again prompt: KeptPrompt, to writer: ResponseWriter = ResponseWriter { _ in }
    ) async throws -> GenerationOutcome {
        try prompt.options.validate()
        return try await gate.run(writer) {
            let parts = try parts()
            let rendered = try prompt.rendered(for: parts.model, parts.renderer.functionCalls)
            let request = GenerationRequest(messages: [], functions: prompt.functions, options: prompt.options)
            // Its timeline is of no use to others.
            defer { parts.timelines.remove(request.conversationID) }
            return try await LocalReply(request, rendered, parts: parts, sampling: sampling, deadline: nil)
                .generate(to: writer)
        }
    }

    /// Builds the prompt and the rules of the reply. All errors that follow from cancelling the task become one.
    private func prepare(
        _ request: GenerationRequest, _ parts: LoadedParts, _ deadline: ContinuousClock.Instant?
    ) async throws -> LocalReply {
        var request = request
        do {
            let sounds = try await writeDownSounds(in: &request.messages)
            var prompt =
                if request.contextPolicy == .summarise {
                    try await SummarisedPrompt(request: request, parts: parts, context: contextSize, deadline: deadline)
                        .make()
                } else {
                    try parts.renderer.fit(request, context: contextSize, deadline: deadline)
                }
            prompt.prepared.report.transcribedSounds = sounds
            return try LocalReply(
                request, prompt, parts: parts, sampling: sampling, deadline: deadline)
        } catch let error as PromptDeadlinePassed {
            throw error
        } catch  where Task.isCancelled && (error as? ConversationError)?.code != .promptExceedsContext {
            throw CancellationError()
        }
    }

    /// The number of tokens in the prompt that would be sent, including functions and the answer's schema.
    ///
    /// - Throws: ``ConversationError``.
    public func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        try gate.requireOpen()
        let options = options ?? GenerationOptions()
        var messages = messages
        _ = try await writeDownSounds(in: &messages)
        return try parts().renderer.render(messages, functions: functions, options: options).input.count
    }

    /// Lets sounds in messages be written down from now on; without it, a message with a sound is `invalidInput`.
    ///
    /// The completion's ``PromptReport/transcribedSounds`` says how many were.
    public func hear(with transcriber: any SpeechTranscribing) {
        transcripts.withLock { $0 = SoundTranscripts(transcriber) }
    }

    /// Replaces the sounds of messages by their text, and says how many there were.
    func writeDownSounds(in messages: inout [ChatMessage]) async throws -> Int {
        guard let transcripts = transcripts.withLock({ $0 }) else { return 0 }
        let (written, count) = try await transcripts.written(messages)
        messages = written
        return count
    }

    /// The functions with a name or a schema to which this model cannot be held; none once it is unloaded.
    public func refusals(of functions: [Function]) -> [FunctionRefusal] {
        guard let dialect = (try? parts())?.renderer.functionCalls.format.dialect else { return [] }
        return FunctionCheck(dialect: dialect).refusals(of: functions)
    }

    /// Runs one token through the model, so that the engine's one-time work does not delay the first reply.
    ///
    /// - Throws: any error of the engine.
    package func warmUp() async throws {
        let model = try parts().model
        let timeline = try model.makeTimeline(capacity: 1)
        try await timeline.step(TimelineStep(tokens: [model.tokenizer.beginningOfText ?? 0]), into: LogitRows())
    }

    /// Ends running generations as cancelled, and then frees the model and what is kept for its conversations in memory;
    /// what is to be kept in files is written before.
    ///
    /// Returns when the memory has been freed, including after an earlier call. A model or timeline to which the app
    /// still holds a reference is not freed.
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
        await loaded.withLock({ $0 })?.timelines.removeAll()
        var freed = loaded.withLock { loaded in
            defer { loaded = nil }
            return loaded
        }
        let lifetime = freed?.model.lifetime
        freed = nil
        await lifetime?.waitUntilFreed()
    }

    /// Counts a conversation, so that its cache is kept until the last one with its id has ended.
    public func conversationBegan(_ id: ConversationID) {
        conversations.withLock { $0[id, default: 0] += 1 }
    }

    /// Frees the cache and the summary of a conversation if no other one has its id.
    public func conversationEnded(_ id: ConversationID) {
        let rest = conversations.withLock { counts in
            let rest = (counts[id] ?? 1) - 1
            counts[id] = rest > 0 ? rest : nil
            return rest
        }
        guard rest <= 0 else { return }
        let loaded = loaded.withLock { $0 }
        loaded?.timelines.remove(id)
        loaded?.summaries.remove(id)
    }

    /// The number of conversations that have an idle timeline for their next turn.
    package var keptTimelines: Int { loaded.withLock { $0 }?.timelines.idleCount ?? 0 }

    /// The number of conversations that have a stored summary for their next turn.
    package var keptSummaries: Int { loaded.withLock { $0 }?.summaries.count ?? 0 }

    /// What is loaded; throws if it has been unloaded.
    func parts() throws -> LoadedParts {
        if let parts = loaded.withLock({ $0 }) { return parts }
        throw ConversationError(.modelNotLoaded, "The model has been unloaded; load it again to go on.")
    }
}

/// A loaded model and everything that is kept for its conversations.
struct LoadedParts: Sendable {
    let model: any TokenModel
    let renderer: PromptRenderer
    let timelines: TimelinePool
    let summaries = SummaryStore()
    let drafts = DraftTally()
    let constraints: ConstraintStore
    let logger: Logger
}

extension LocalModelRunner: Replaying {}
