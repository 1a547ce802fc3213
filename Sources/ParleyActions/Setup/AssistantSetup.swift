// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
package import ParleyHTTP

/// The assistant of a data directory, set up once for all of its faces: the log, the chats and the accounts are opened
/// at once, and ``assistant(over:for:)`` makes the rest when there is a model.
package struct AssistantSetup: Sendable {
    /// Where the data is, and the settings in use.
    package let home: AssistantHome
    /// The log of everything that is written.
    package let log: ActionLog
    /// The chats.
    package let history: ChatStore
    /// What was uploaded for the chats.
    package let attachments: AttachmentStore
    /// Keeps the accounts synchronised; it begins when it is told to.
    package let keeper: AccountKeeper

    /// What the actions may do.
    package var limits: ActionRunner.Settings
    /// The tools of servers that are never used.
    package var deniedTools: Set<String>
    /// The settings of chats, read anew for each turn.
    package var chat: @Sendable () -> ChatSettings
    /// The user's own instructions; nil for none.
    package var instructions: String?
    /// The file that names the servers of tools; nil for the usual one, which may be missing.
    package var toolFile: URL?
    /// Whether actions are offered for which there is no store, too.
    package var offersAllActions = false
    /// Whether it is an error, and not a remark, if the search engine lacks its key.
    package var needsSearch = false
    /// Reads what is attached; nil for a reader whose texts fit the model.
    package var documents: AttachedDocuments?
    /// The variables of the environment, which may have keys.
    package var environment = ProcessEnvironment.process
    /// The present time and place.
    package var context: @Sendable () -> DateContext = {
        DateContext(now: Date(), timeZone: .current, locale: .current)
    }

    private let accounts: AccountSettings

    /// Opens what is in a data directory, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - home: the directory, with its settings.
    ///   - onNotice: is told what the store of the chats has to say.
    /// - Throws: ``AssistantError``.
    package init(_ home: AssistantHome, onNotice: @escaping @Sendable (ChatNotice) -> Void = { _ in }) throws {
        try home.create()
        self.home = home
        log = try ActionLog(at: home.log)
        history = ChatStore(directory: home.chats, caches: home.caches, onNotice: onNotice)
        attachments = AttachmentStore(home.attachments)
        var accounts = try AccountSettings(at: home.accounts.settings)
        keeper = AccountKeeper(accounts.accounts, in: home.accounts)
        // Elsewhere nobody would send what is put into the folder of a collection.
        if !home.hasAccountCalendars { (accounts.newEvents, accounts.newReminders) = (nil, nil) }
        self.accounts = accounts
        let settings = home.settings
        (limits, deniedTools) = (settings.limits, settings.deniedTools)
        chat = { settings.chat() }
    }

    /// Makes the assistant, and connects the servers of tools, which the caller ends.
    ///
    /// - Parameters:
    ///   - models: loads the models.
    ///   - model: the model, if it is loaded: tools are offered as far as it can use them, and documents cut to its
    ///     context.
    /// - Returns: the assistant.
    /// - Throws: ``AssistantError``; `MCPError` if ``toolFile`` cannot be read.
    package func assistant(
        over models: any ChatModelProvider, for model: ChatModel? = nil
    ) async throws -> Assistant {
        var remarks: [String] = []
        // What cannot be removed now is at the next start.
        _ = try? await attachments.sweep(in: history)
        var stores = home.stores(accounts) { [keeper] in Task { await keeper.change() } }
        stores.web = try searcher(&remarks)
        let tags = (offersAllActions ? ActionTag.allCases : stores.tags).filter { limits.policy[$0, .create] != .deny }
        var servers: ToolServers?
        if limits.policy[.tool, .change] != .deny {
            let connection = try await ToolConnection(
                toolFile, usual: home.servers, denying: deniedTools, beside: tags, for: model,
                environment: environment)
            (servers, stores.tools) = (connection.servers, connection.tools)
            remarks += connection.remarks
        }
        let actions = await ActionRunner(stores: stores, log: log, settings: limits, context: context)
        let mayEnrich = tags.contains(.note) && limits.policy[.note, .change] != .deny && !limits.isDryRun
        let notes = tags.contains(.note) ? stores.notes : nil
        var dependencies = ChatDependencies(
            models: models, actions: actions,
            systemPrompt: AssistantPrompt(
                tags: tags, instructions: instructions, notes: notes.map { OwnNotes($0, log: log) }, context: context),
            settings: { [chat] in
                var settings = chat()
                settings.enrichesNotes = settings.enrichesNotes && mayEnrich
                return settings
            }, context: context)
        dependencies.history = history
        dependencies.documents = documents ?? reader(for: model)
        dependencies.suggestions = StandardPrompts(tags: tags)
        return Assistant(dependencies: dependencies, servers: servers, remarks: remarks)
    }

    /// A reader of what is attached, whose texts fit the context of a model beside the rest of the prompt.
    package func reader(for model: ChatModel?) -> AttachedDocuments {
        AttachedDocuments(
            contextTokens: model?.contextSize ?? 8_192, readsWeb: limits.policy[.webSearch, .read] != .deny)
    }

    /// The search engine of the settings.
    private func searcher(_ remarks: inout [String]) throws(AssistantError) -> (any WebSearcher)? {
        guard let engine = home.settings.search else { return nil }
        do {
            return try engine.searcher(environment: environment)
        } catch {
            if needsSearch { throw error }
            remarks.append("The web is not searched. \(error.message)")
            return nil
        }
    }
}

/// What an ``AssistantSetup`` has made.
package struct Assistant: Sendable {
    /// What a chat depends on.
    package var dependencies: ChatDependencies
    /// The servers of tools; nil if none is connected.
    package let servers: ToolServers?
    /// What the user should know, such as what was left out.
    package let remarks: [String]
}
