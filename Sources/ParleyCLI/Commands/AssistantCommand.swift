// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyHTTP
import ParleyLocal
import ParleyModels

/// `parley assistant`: a chat that acts, with the user's consent.
struct AssistantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assistant", abstract: "Starts a chat that can remind, plan and note, after asking.",
        discussion: """
            What the model proposes is shown as a card; one key confirms it. New things are created at once and can be \
            undone, changes and deletions are asked about. Events and reminders are iCalendar files in \
            $PARLEY_HOME/calendars; 'parley accounts' adds those of servers. Lines that are piped in are messages, and what would be asked is not done.
            """)

    @Argument(help: .model, completion: .model)
    var model = Catalog.builtIn.defaultEntry?.name ?? ""

    @OptionGroup(title: "Consent")
    var consent: ConsentOptions

    @OptionGroup(title: "Sources")
    var sources: SourceOptions

    @Flag(help: "Print each reply as a JSON object, with its cards.")
    var json = false

    @Flag(
        help: """
            Keep what the model has computed of a chat in $PARLEY_HOME/cache/chats, up to 2 GiB, so that a long chat \
            that is reopened goes on at once.
            """)
    var keepCache = false

    @Flag(help: .hidden)
    var freeBlocks = false

    @Flag(help: .hidden)
    var allTools = false

    @OptionGroup(title: "Generation options")
    var generation: GenerationOptions

    mutating func validate() throws {
        if generation.schema != nil {
            throw ValidationError(
                "--schema is not for the assistant: its replies are text with blocks. Use parley run.")
        }
        if !generation.stop.isEmpty {
            throw ValidationError("--stop is not for the assistant: it would cut off what a reply proposes.")
        }
    }

    func run() async throws {
        let console = Console()
        var home = try AssistantHome(console: console)
        try home.create()
        home.settings = try sources.settings(over: home.settings)
        let limits = try consent.settings(denying: home.settings.denied)
        let files = generation.imageFiles + sources.attached
        let images = try files.compactMap { try AttachmentDesk.image(at: URL(filePath: $0)) }
        let log = try ActionLog(at: home.log)
        let history = ChatStore(directory: home.chats, caches: home.caches)
        let caches = CacheFolder(home.caches) { history.contains($0.rawValue) }
        var settings = try AccountSettings(at: home.accounts.settings)
        let keeper = AccountKeeper(settings.accounts, in: home.accounts)
        // It synchronises while the model is loaded.
        await keeper.synchronise()
        // Elsewhere nobody would send what is put into the folder of a collection.
        if !home.hasAccountCalendars { (settings.newEvents, settings.newReminders) = (nil, nil) }
        let runner = try await generation.loading.runner(
            of: model, showing: images, keeping: keepCache ? caches : nil, console: console)
        let desk = AttachmentDesk(
            documents: AttachedDocuments(
                contextTokens: runner.contextSize, readsWeb: limits.policy[.webSearch, .read] != .deny),
            modelName: runner.modelID, seesImages: runner.seesImages)
        var attached: [AttachmentDesk.Attached] = []
        for file in files { attached.append(try await desk.file(file)) }
        var stores = home.stores(settings) { Task { await keeper.change() } }
        stores.web = try searcher(home.settings.search, console: console)
        let tags = (allTools ? ActionTag.allCases : stores.tags).filter { limits.policy[$0, .create] != .deny }
        let connection = ToolConnection(
            console: console, runner: runner, denied: consent.deniedTools(denying: home.settings.denied))
        let servers =
            limits.policy[.tool, .change] == .deny
            ? nil : try await connection.open(sources.mcp, usual: home.servers)
        stores.tools = await connection.fitting(servers?.tools ?? [], with: tags)
        let actions = await ActionRunner(stores: stores, log: log, settings: limits, context: Self.context)
        let mayEnrich = tags.contains(.note) && limits.policy[.note, .change] != .deny && !limits.isDryRun
        var dependencies = try dependencies(
            actions, tags, runner, enrichesNotes: home.settings.enrichesNotes && mayEnrich)
        dependencies.history = history
        dependencies.documents = desk.documents
        let parts = AssistantLoop.Parts(
            dependencies: dependencies, history: history, desk: desk, attached: attached, servers: servers,
            refresh: { await keeper.refresh() }, remarks: { await keeper.takeRemarks() })
        let isInteractive = !json && Terminal.Stream.input.isTerminal && Terminal.Stream.output.isTerminal
        // Who writes a message has time enough; a message that is there already would be answered from the last state.
        if !isInteractive { await keeper.settle(within: .seconds(5)) }
        for remark in await keeper.takeRemarks() { console.note(PlainText.clean(remark)) }
        let mode = isInteractive ? TerminalMode() : nil
        let orderly = OrderlyExit {
            mode?.set(.original)
        } save: { [keepCache] in
            history.flush()
            if keepCache { await runner.unload() }
            await servers?.close()
        }
        defer { withExtendedLifetime(orderly) {} }
        do {
            try await AssistantLoop.run(parts, console: console, printsJSON: json, mode: mode)
        } catch {
            // The user left with Ctrl-C.
            await leave(history, runner, servers, keeper, console)
            throw error
        }
        await leave(history, runner, servers, keeper, console)
    }

    /// Saves the chat and, if it is to be kept, what the model has computed of it; ends the servers of tools, and sends
    /// what waits for the servers of accounts.
    private func leave(
        _ history: ChatStore, _ runner: LocalModelRunner, _ servers: ToolServers?, _ keeper: AccountKeeper,
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

    private static let context: @Sendable () -> DateContext = {
        DateContext(now: Date(), timeZone: .current, locale: .current)
    }

    private func dependencies(
        _ actions: ActionRunner, _ tags: [ActionTag], _ runner: LocalModelRunner, enrichesNotes: Bool
    ) throws -> ChatDependencies {
        let settings = try chatSettings(enrichesNotes: enrichesNotes)
        let notes = tags.contains(.note) ? actions.stores.notes : nil
        var dependencies = ChatDependencies(
            models: LoadedChatModel(
                ChatModel(
                    runner: runner, callsFunctions: runner.capabilities.contains(.functions),
                    seesImages: runner.seesImages, digest: try? generation.loading.fetching.store.find(model)?.digest())
            ),
            actions: actions,
            systemPrompt: AssistantPrompt(
                tags: tags, instructions: generation.system, notes: notes.map { OwnNotes($0, log: actions.log) },
                context: Self.context), settings: { settings }, context: Self.context)
        dependencies.suggestions = StandardPrompts(tags: tags)
        return dependencies
    }

    /// The search engine that was named; one in the settings that lacks its key is a remark and no error.
    private func searcher(_ engine: SearchEngine?, console: Console) throws -> (any WebSearcher)? {
        guard let engine else { return nil }
        do {
            return try engine.searcher(environment: .process)
        } catch {
            if sources.search != nil { throw error }
            console.note("The web is not searched. \(error.message)")
            return nil
        }
    }

    private func chatSettings(enrichesNotes: Bool) throws -> ChatSettings {
        var settings = ChatSettings()
        settings.enrichesNotes = enrichesNotes
        settings.historyWindow = ChatSettings.historyWindow(memory: ProcessInfo.processInfo.physicalMemory)
        settings.answerTokens = generation.maxTokens
        settings.holdsBlocks = !freeBlocks
        settings.sampling = try generation.conversationOptions().sampling
        return settings
    }
}
