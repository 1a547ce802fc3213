// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
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

    @Flag(help: "Print each reply as a JSON object, with its cards.")
    var json = false

    @Flag(help: .hidden)
    var freeBlocks = false

    @Flag(help: .hidden)
    var allTools = false

    @OptionGroup(title: "Generation options")
    var generation: GenerationOptions

    func run() async throws {
        let console = Console()
        let home = AssistantHome()
        try home.create()
        let log = try ActionLog(at: home.log)
        let context: @Sendable () -> DateContext = { DateContext(now: Date(), timeZone: .current, locale: .current) }
        let settings = try AccountSettings(at: home.accounts.settings)
        let keeper = AccountKeeper(settings.accounts, in: home.accounts)
        let stores = home.stores(settings) { Task { await keeper.synchronise() } }
        // It synchronises while the model is loaded.
        await keeper.synchronise()
        let runner = try await generation.loading.runner(of: model, showing: [], console: console)
        let actions = await ActionRunner(stores: stores, log: log, settings: consent.settings, context: context)
        let history = ChatStore(directory: home.chats)
        let chat = try chatSettings()
        let tags = (allTools ? ActionTag.allCases : stores.tags).filter {
            consent.settings.policy[$0, .create] != .deny
        }
        var dependencies = ChatDependencies(
            models: LoadedChatModel(
                ChatModel(
                    runner: runner, callsFunctions: runner.capabilities.contains(.functions),
                    seesImages: runner.seesImages)),
            actions: actions,
            systemPrompt: AssistantPrompt(
                tags: tags, instructions: generation.system, notes: stores.notes, context: context),
            settings: { chat }, context: context)
        dependencies.history = history
        dependencies.suggestions = StandardPrompts(tags: tags)
        await keeper.settle(within: .seconds(5))
        for remark in await keeper.takeRemarks() { console.note(PlainText.clean(remark)) }
        try await AssistantLoop.run(
            dependencies, history: history, title: runner.modelID, console: console, printsJSON: json,
            remarks: { await keeper.takeRemarks() },
            mode: json
                ? nil : Terminal.Stream.input.isTerminal && Terminal.Stream.output.isTerminal ? TerminalMode() : nil)
        history.flush()
        await keeper.settle(within: .seconds(10))
        await keeper.stop()
        for remark in await keeper.takeRemarks() { console.note(PlainText.clean(remark)) }
    }

    private func chatSettings() throws -> ChatSettings {
        var settings = ChatSettings()
        settings.historyWindow = ChatSettings.historyWindow(memory: ProcessInfo.processInfo.physicalMemory)
        settings.answerTokens = generation.maxTokens
        settings.holdsBlocks = !freeBlocks
        settings.sampling = try generation.conversationOptions().sampling
        return settings
    }
}
