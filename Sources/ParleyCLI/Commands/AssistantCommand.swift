// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyHTTP
import ParleyLocal
import ParleyModels
import ParleyRuntime
import ParleySystem

/// `parley assistant`: a chat that acts, with the user's consent.
struct AssistantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assistant", abstract: "Starts a chat that can remind, plan and note, after asking.",
        discussion: """
            What the model proposes is shown as a card; one key confirms it. New things are created at once and can be \
            undone, changes and deletions are asked about. Events and reminders are iCalendar files in \
            $PARLEY_HOME/calendars; 'parley accounts' adds those of servers. Lines that are piped in are messages, or \
            commands such as /log, and what would be asked is not done. With --voice messages are spoken, with --speak \
            replies are read aloud.

            With --remote, a server replies: parley assistant --remote http://127.0.0.1:8080 --model NAME

            The status is 0 when you leave, and when all that was piped in was answered; 1 for a failure, also of one of \
            the lines that were piped in, or if the chat could not be saved; 2 for wrong usage, 130 for Ctrl-C.
            """)

    @Argument(help: .model, completion: .model)
    var model = Catalog.builtIn.defaultEntry?.name ?? ""

    @OptionGroup(title: "Server options")
    var remote: RemoteOptions

    @OptionGroup(title: "Consent")
    var consent: ConsentOptions

    @OptionGroup(title: "Sources")
    var sources: SourceOptions

    @Flag(help: "Print each reply as a JSON object, with its cards; what commands show goes to standard error.")
    var json = false

    @Flag(
        help: """
            Keep what the model has computed of a chat in $PARLEY_HOME/cache/chats, up to 2 GiB, so that a long chat \
            that is reopened goes on at once.
            """)
    var keepCache = false

    // Options of other commands, which are refused with the reason.
    @Option(help: .hidden)
    var schema: String?

    @Option(help: .hidden)
    var stop: String?

    @Flag(help: .hidden)
    var freeBlocks = false

    @Flag(help: .hidden)
    var allTools = false

    @OptionGroup(title: "Speech")
    var voice: VoiceOptions

    @OptionGroup(title: "Generation options")
    var generation: GenerationOptions

    mutating func validate() throws {
        try remote.exclude(model, generation.loading, hears: voice.voice)
        if remote.address != nil, keepCache {
            throw ValidationError("With --remote nothing is computed here: leave out --keep-cache.")
        }
        if schema != nil {
            throw ValidationError(
                "--schema is not for the assistant: its replies are text with blocks. Use parley run.")
        }
        if stop != nil {
            throw ValidationError("--stop is not for the assistant: it would cut off what a reply proposes.")
        }
    }

    func run() async throws {
        let console = Console()
        let isInteractive = !json && Terminal.Stream.input.isTerminal && Terminal.Stream.output.isTerminal
        if voice.isWanted, !isInteractive { throw VoiceOptions.noTerminal }
        var home = try AssistantHome(console: console)
        let limits = try consent.settings(over: home.settings)
        let denied = consent.deniedTools(over: home.settings)
        home.settings = try sources.settings(over: home.settings)
        let files = generation.imageFiles + sources.attached
        let images =
            try generation.images() + sources.attached.compactMap { try AttachmentDesk.image(at: URL(filePath: $0)) }
        let chatRemarks = ChatRemarks()
        var setup = try AssistantSetup(home) { chatRemarks.add($0) }
        let (history, keeper) = (setup.history, setup.keeper)
        let caches = CacheFolder(home.caches) { history.contains($0.rawValue) }
        // It synchronises while the model is loaded.
        await keeper.synchronise()
        let (loaded, facts) = try await chatModel(showing: images, keeping: keepCache ? caches : nil, console: console)
        let runner = loaded.runner
        (setup.limits, setup.deniedTools, setup.offersAllActions) = (limits, denied, allTools)
        (setup.instructions, setup.needsSearch) = (generation.system, sources.search != nil)
        setup.toolFile = sources.mcp.map { URL(filePath: $0) }
        let chat = chatSettings(home.settings)
        setup.chat = { chat }
        let documents = setup.reader(for: loaded)
        setup.documents = documents
        let desk = AttachmentDesk(documents: documents, modelName: runner.modelID, seesImages: loaded.seesImages)
        var attached: [AttachmentDesk.Attached] = []
        for file in files { attached.append(try await desk.file(file)) }
        let voice = try await voice.desk(generation.loading, console: console)
        var assistant = try await setup.assistant(over: LoadedChatModel(loaded), for: loaded)
        let servers = assistant.servers
        assistant.dependencies.speech = voice?.input
        for remark in assistant.remarks { console.note(PlainText.clean(remark)) }
        let parts = AssistantLoop.Parts(
            dependencies: assistant.dependencies, history: history, desk: desk, facts: facts,
            warning: Self.warning(about: runner), attached: attached, servers: servers,
            refresh: { await keeper.refresh() }, voice: voice,
            remarks: { await keeper.takeRemarks() + chatRemarks.take() })
        // Who writes a message has time enough; a message that is there already would be answered from the last state.
        if !isInteractive { await keeper.settle(within: .seconds(5)) }
        for remark in await parts.remarks() { console.note(PlainText.clean(remark)) }
        let mode = isInteractive ? TerminalMode() : nil
        let orderly = OrderlyExit {
            mode?.giveBack()
        } save: { [keepCache] in
            history.flush()
            if keepCache { await runner.unload() }
            await servers?.close()
        }
        defer { withExtendedLifetime(orderly) {} }
        do {
            try await AssistantLoop.run(parts, console: console, printsJSON: json, mode: mode)
        } catch {
            // The user left with Ctrl-C, or something that was piped in has failed.
            await leave(history, runner, servers, keeper, console)
            await voice?.close()
            throw error
        }
        await voice?.close()
        await leave(history, runner, servers, keeper, console)
    }

    /// What is said of a model that is known to be too small for actions, by the number of its parameters: of 50 requests,
    /// SmolLM2 135M proposes the right action for two (docs/assistant.md).
    private static func warning(about runner: any ModelRunner) -> String? {
        guard let model = runner as? LocalModelRunner, (1..<200_000_000).contains(model.info.parameterCount) else {
            return nil
        }
        return """
            This model seldom proposes actions; what it says it did, it did only if a card shows it. \
            'parley assistant qwen3-4b' is better at it.
            """
    }

    /// The model, of a server or loaded here, and what is said of it after its name.
    private func chatModel(
        showing images: [Data], keeping caches: CacheFolder?, console: Console
    ) async throws -> (ChatModel, facts: String) {
        if let chosen = try await remote.model(console: console) {
            let model = ChatModel(
                runner: chosen.runner, callsFunctions: chosen.callsFunctions, seesImages: chosen.seesImages,
                contextSize: chosen.contextSize)
            return (model, chosen.facts)
        }
        let runner = try await generation.loading.runner(
            of: model, showing: images, keeping: caches, console: console)
        let model = ChatModel(
            runner: runner, callsFunctions: runner.capabilities.contains(.functions), seesImages: runner.seesImages,
            digest: try? generation.loading.fetching.store.find(model)?.digest(), contextSize: runner.contextSize)
        return (model, "")
    }

    /// Saves the chat and, if it is to be kept, what the model has computed of it; ends the servers of tools, and sends
    /// what waits for the servers of accounts.
    private func leave(
        _ history: ChatStore, _ runner: any ModelRunner, _ servers: ToolServers?, _ keeper: AccountKeeper,
        _ console: Console
    ) async {
        history.flush()
        await servers?.close()
        if await keeper.isSending, await !keeper.settle(within: .seconds(1)) {
            console.note("Sending what was changed…")
            if await !keeper.settle(within: .seconds(9)) {
                console.note("It takes too long: what is not on the server yet is sent at the next start.")
            }
        }
        await keeper.stop()
        for remark in await keeper.takeRemarks() { console.note(PlainText.clean(remark)) }
        if keepCache { await runner.unload() }
    }

    private func chatSettings(_ kept: AssistantSettings) -> ChatSettings {
        var settings = kept.chat()
        settings.answerTokens = generation.maxTokens ?? settings.answerTokens
        settings.holdsBlocks = !freeBlocks
        let temperature = settings.sampling.temperature
        settings.sampling = generation.sampling
        settings.sampling.temperature = settings.sampling.temperature ?? temperature
        return settings
    }
}
