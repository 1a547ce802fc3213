// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import Foundation
    import Observation
    import Parley
    import ParleyActions
    import ParleyAssistant
    import ParleyFoundationModels

    /// The app's one assistant: its stores, its chats, and the chat that is shown.
    @MainActor
    @Observable
    final class Assistant {
        /// The chat that is shown; nil until the assistant has started.
        private(set) var chat: ChatViewModel?
        /// Why the assistant could not be started.
        private(set) var failure: String?
        /// All chats, newest first.
        private(set) var chats: [ChatSummary] = []
        /// What a search over all chats has found.
        private(set) var hits: [ChatSearchHit] = []
        /// The chat that was deleted last, which can be brought back.
        private(set) var deleted: ChatSummary?
        /// What the assistant may do without asking.
        var consent = Consent.saved {
            didSet {
                consent.save()
                let settings = consent.settings
                Task { [actions] in await actions?.use(settings) }
            }
        }

        @ObservationIgnored private var history: ChatStore?
        @ObservationIgnored private var actions: ActionRunner?

        /// Connects the stores and loads the model.
        func start() async {
            guard chat == nil else { return }
            do {
                let folder = URL.applicationSupportDirectory.appending(path: "Assistant", directoryHint: .isDirectory)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let context: @Sendable () -> DateContext = {
                    DateContext(now: Date(), timeZone: .current, locale: .current)
                }
                let stores = Self.stores(in: folder)
                let actions = await ActionRunner(
                    stores: stores, log: try ActionLog(at: folder.appending(path: "actions.jsonl")),
                    settings: consent.settings, context: context)
                let history = ChatStore(directory: folder.appending(path: "Chats", directoryHint: .isDirectory))
                var dependencies = ChatDependencies(
                    models: DeviceModels(), actions: actions,
                    systemPrompt: AssistantPrompt(
                        tags: stores.tags, notes: stores.notes.map { OwnNotes($0, log: actions.log) },
                        context: context),
                    context: context)
                dependencies.history = history
                dependencies.documents = FileReader()
                dependencies.suggestions = StandardPrompts(tags: stores.tags)
                dependencies.pinnedPrompts = PinnedPrompts()
                #if canImport(Speech) && canImport(AVFoundation)
                    dependencies.speech = Dictation()
                #endif
                let chat = ChatViewModel(dependencies)
                (self.actions, self.history, self.chat) = (actions, history, chat)
                await refresh()
                await chat.load()
            } catch {
                failure = "\(error)"
            }
        }

        /// Calendar, reminders and contacts are those of the system; notes and habits are files.
        private static func stores(in folder: URL) -> AssistantStores {
            AssistantStores(
                calendar: SystemCalendar(names: folder.appending(path: "calendar-names.json")),
                reminders: SystemReminders(names: folder.appending(path: "reminder-names.json")),
                notes: NoteFolder(folder.appending(path: "Notes", directoryHint: .isDirectory)),
                habits: HabitFolder(folder.appending(path: "Habits", directoryHint: .isDirectory)),
                contacts: SystemContacts())
        }

        // MARK: Chats

        /// Reads the list of chats anew.
        func refresh() async {
            do {
                chats = try await history?.summaries() ?? []
            } catch {
                failure = "\(error)"
            }
        }

        func open(_ id: UUID) async {
            guard id != chat?.chatID, let kept = try? await history?.chat(id) else { return }
            await chat?.open(kept)
        }

        func startNewChat() async {
            await chat?.startNewChat()
            await refresh()
        }

        func delete(_ summary: ChatSummary) async {
            if summary.id == chat?.chatID {
                chat?.stop()
                await chat?.settled()
                await chat?.startNewChat()
            }
            do {
                try await history?.delete(summary.id)
                deleted = summary
            } catch {
                failure = "\(error)"
            }
            await refresh()
        }

        func restoreDeleted() async {
            guard let summary = deleted else { return }
            deleted = nil
            _ = try? await history?.restore(summary.id)
            await refresh()
        }

        func forgetDeleted() { deleted = nil }

        /// Searches all chats; a later search ends an earlier one.
        func search(_ words: String) async {
            guard !words.isEmpty else { return hits = [] }
            // A pause between two letters is no end of the word.
            try? await Task.sleep(for: .milliseconds(200))
            guard !Task.isCancelled, let found = try? await history?.search(words), !Task.isCancelled else { return }
            hits = found
        }

        func flush() { history?.flush() }
    }

    /// The model of Apple Intelligence where there is one, or else a small open model that runs in the app.
    struct DeviceModels: ChatModelProvider {
        func model() async throws -> ChatModel {
            #if canImport(FoundationModels)
                if #available(macOS 26.0, iOS 26.0, *), FoundationModelsRunner.unavailability == nil {
                    return ChatModel(runner: try FoundationModelsRunner())
                }
            #endif
            let runner = try await LocalModelRunner.load("qwen3-1.7b")
            return ChatModel(
                runner: runner, callsFunctions: runner.capabilities.contains(.functions), seesImages: runner.seesImages)
        }
    }

    /// The pinned prompts, in the app's preferences.
    struct PinnedPrompts: PinnedPromptStore {
        private static let key = "pinned-prompts"

        func pinnedPrompts() async throws -> [String] { UserDefaults.standard.stringArray(forKey: Self.key) ?? [] }
        func keep(_ prompts: [String]) async throws { UserDefaults.standard.set(prompts, forKey: Self.key) }
    }

    /// What the user allows.
    struct Consent: Codable, Hashable {
        /// Whether new things, too, are asked about.
        var asksBeforeCreating = false
        /// Whether everything is shown only, and nothing done.
        var isDryRun = false
        /// The tags of the tools that are not used.
        var denied: Set<String> = []

        private static let key = "consent"

        /// The settings as they were saved last.
        static var saved: Consent {
            let data = UserDefaults.standard.data(forKey: key)
            return data.flatMap { try? JSONDecoder().decode(Consent.self, from: $0) } ?? Consent()
        }

        func save() { UserDefaults.standard.set(try? JSONEncoder().encode(self), forKey: Self.key) }

        /// The settings for the runner of actions.
        var settings: ActionRunner.Settings {
            var settings = ActionRunner.Settings()
            settings.isDryRun = isDryRun
            for tag in ActionTag.allCases {
                if asksBeforeCreating { settings.policy[tag, .create] = .ask }
                if denied.contains(tag.rawValue) { settings.policy.set(tag, .deny) }
            }
            return settings
        }
    }
#endif
