// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import Observation
import ParleyConversation

/// Everything that a chat screen shows, and what its controls do: messages, the reply that is being written, cards of
/// actions, notices.
///
/// It lives on the main actor and is observed with Observation; a page or another program follows ``changes()`` instead.
/// All work is done by the services in ``ChatDependencies``.
///
/// ```swift
/// let chat = ChatViewModel(dependencies)
/// await chat.load()
/// chat.inputText = "Remind me to call mum tomorrow at 3"
/// chat.send()
/// ```
///
/// A message is sent at most once however often ``send()`` is called: between the check and the flag nothing suspends.
/// Messages are found again by their ids after each suspension, so that any of them may be deleted at any time.
@MainActor
@Observable
public final class ChatViewModel {
    /// The largest number of pinned prompts.
    public static let maxPinnedPrompts = 20
    /// The number of suggested prompts.
    public static let suggestionCount = 4
    /// After how long a recording of speech is ended.
    public static let longestRecording = Duration.seconds(30)

    // MARK: State

    /// The chat that is shown, as the tree of all its messages.
    public internal(set) var chat: Chat
    /// The identifier of the chat.
    public var chatID: UUID { chat.id }
    /// The messages, oldest first.
    public internal(set) var messages: [ChatItem] = []
    /// The text in the input field.
    public var inputText = ""
    /// What is attached to the next message.
    public var attachments: [ChatAttachment] = []
    /// Whether a turn is in progress.
    public internal(set) var isGenerating = false
    /// Whether the turn is before its first token: the prompt is being built.
    public internal(set) var isPreparing = false
    /// A message that is sent as soon as the turn has ended; nil for none.
    public internal(set) var queued: String?
    /// The name of the model that is in memory for this chat; nil before it is.
    public internal(set) var modelName: String?
    /// Whether a model is in memory.
    public internal(set) var isModelLoaded = false
    /// Whether a model is being loaded.
    public internal(set) var isModelLoading = false
    /// Whether speech is being recorded or transcribed; true until the transcript is in ``inputText``.
    public internal(set) var isRecording = false
    /// Whether speech is being transcribed.
    public internal(set) var isTranscribing = false
    /// Whether the coordinator of hands-free use is listening.
    public internal(set) var isAutoListening = false
    /// Whether the model may reason, and its reasoning is shown.
    public var thinkingEnabled = false
    /// The message that the next one replies to.
    public var replyingTo: ChatItem.ID?
    /// Prompts for an empty chat, at most four.
    public internal(set) var suggestedPrompts: [String] = []
    /// The title: the first characters of the first message.
    public internal(set) var sessionTitle = ""
    /// The pinned prompts, at most twenty.
    public internal(set) var pinnedPrompts: [String] = []
    /// The words that ``searchResults`` contain; empty for no search.
    public var searchText = ""
    var noticeBoard = NoticeBoard()

    /// An error, shown for five seconds.
    public var errorMessage: String? { noticeBoard[.error] }
    /// A remark, shown for a second and a half.
    public var toast: String? { noticeBoard[.toast] }
    /// All notices so far, oldest first, the last hundred of them.
    public var notices: [ScreenNotice] { noticeBoard.all }
    /// Whether the pointer or the focus is on a notice; none disappears meanwhile.
    public var holdsNotices: Bool {
        get { noticeBoard.isHeld }
        set { noticeBoard.isHeld = newValue }
    }
    /// The messages that contain each word of ``searchText``.
    public var searchResults: [ChatItem] { shown.results(messages, searchText) }

    /// Whether ``send()`` would send a message now.
    public var canSend: Bool {
        isModelLoaded && !isGenerating && (!attachments.isEmpty || inputText.contains { !$0.isWhitespace })
    }

    // MARK: What is not shown

    /// The services.
    @ObservationIgnored public let dependencies: ChatDependencies
    @ObservationIgnored var model: ChatModel?
    /// The name by which ``model`` was asked for; nil for the usual one.
    @ObservationIgnored var usedModel: String?
    /// What pages show of the messages.
    @ObservationIgnored var shown = ShownMessages()
    /// How many messages have been made for ``viewState``; for tests of what a change costs.
    package var messagesMade: Int { shown.made }
    /// The functions that the model cannot be held to, and so is not offered.
    @ObservationIgnored var refusedFunctions: Set<String> = []
    /// Carries out what the user decided.
    @ObservationIgnored var deciding: Task<ActionRunner.Answer, Never>?
    /// Keeps the cache of the model between the turns of a chat.
    @ObservationIgnored var conversation: Conversation?
    @ObservationIgnored var turn: ChatTurn?
    /// The work of the current turn.
    @ObservationIgnored var work: Task<Void, Never>?
    /// Whether the transcript of the recording that is in progress is to be forgotten.
    @ObservationIgnored var discardsSpeech = false
    @ObservationIgnored var speechWork: Task<Void, Never>?
    /// Keeps the pinned prompts; the next ones are kept after it.
    @ObservationIgnored private var pinning: Task<Void, Never>?
    /// Summarises notes; cancelled as soon as the user sends a message.
    @ObservationIgnored var enriching: Task<[ActionLogEntry], Never>?

    /// Creates a chat without messages.
    public init(_ dependencies: ChatDependencies) {
        self.dependencies = dependencies
        chat = Chat(created: dependencies.now)
    }

    /// Loads the model, the pinned prompts and the suggestions.
    public func load() async {
        guard !isModelLoading else { return }
        if !isModelLoaded {
            do {
                try await use(chat.model)
            } catch {
                // A first start is no failure.
                if (error as? AssistantError)?.code != .noModel { report("\(error)") }
            }
        }
        await loadPinnedPrompts()
        if messages.isEmpty { await refreshSuggestions() }
        enrichWhenIdle()
    }

    private func loadPinnedPrompts() async {
        guard let store = dependencies.pinnedPrompts else { return }
        let shown = pinnedPrompts
        // Those that are pinned meanwhile are newer.
        guard let prompts = try? await store.pinnedPrompts(), pinnedPrompts == shown else { return }
        pinnedPrompts = Array(prompts.prefix(Self.maxPinnedPrompts))
    }

    /// Finds out which tools the model cannot be offered, and says so; the others are not affected.
    func checkFunctions() async {
        guard let model, model.callsFunctions else { return }
        let tools = dependencies.actions.stores.tools
        let refusals = await Self.refusals(of: functions, by: model.runner)
        refusedFunctions = Set(refusals.map(\.name))
        for refusal in refusals {
            let name = tools.first { $0.function.name == refusal.name }?.name.description ?? refusal.name
            tell("The tool \(name) is left out. \(refusal.reason)")
        }
    }

    /// Compiles schemas, which takes time that the main actor does not have.
    private nonisolated static func refusals(
        of functions: [Function], by runner: any ModelRunner
    ) async -> [FunctionRefusal] {
        runner.refusals(of: functions)
    }

    /// Asks for new suggestions.
    public func refreshSuggestions() async {
        let prompts = await dependencies.suggestions?.prompts(Self.suggestionCount) ?? []
        suggestedPrompts = Array(prompts.prefix(Self.suggestionCount))
    }

    /// Waits until no turn is in progress.
    public func settled() async {
        while let work {
            await work.value
            if self.work == work { self.work = nil }
        }
    }

    /// Stops the turn that is in progress, a tool that is being used, or the summarising of notes; what was written of the reply stays.
    public func stop() {
        turn?.stop()
        deciding?.cancel()
        enriching?.cancel()
    }

    /// Pins a prompt, or removes a pinned one.
    public func togglePin(_ prompt: String) {
        if let index = pinnedPrompts.firstIndex(of: prompt) {
            pinnedPrompts.remove(at: index)
        } else if pinnedPrompts.count < Self.maxPinnedPrompts {
            pinnedPrompts.append(prompt)
        } else {
            return tell("At most \(Self.maxPinnedPrompts) prompts can be pinned; remove one first.")
        }
        guard let store = dependencies.pinnedPrompts else { return }
        let earlier = pinning
        pinning = Task { [pinnedPrompts] in
            await earlier?.value
            do { try await store.keep(pinnedPrompts) } catch { report("\(error)") }
        }
    }

    /// Takes over the pinned prompts of another chat in which they were changed: all chats have the same.
    package func takePinnedPrompts(of other: ChatViewModel) {
        if pinnedPrompts != other.pinnedPrompts { pinnedPrompts = other.pinnedPrompts }
    }

    /// Changes the message with an id, if it is still there.
    ///
    /// - Returns: whether it is.
    @discardableResult
    func update(_ id: ChatItem.ID, _ change: (inout ChatItem) -> Void) -> Bool {
        // The message is nearly always one of the last.
        guard let index = messages.lastIndex(where: { $0.id == id }) else { return false }
        change(&messages[index])
        return true
    }

    // MARK: Notices

    /// Shows an error.
    func report(_ text: String) { show(.error, text) }

    /// Shows a remark.
    func tell(_ text: String) { show(.toast, text) }

    private func show(_ kind: ScreenNotice.Kind, _ text: String) {
        let notice = noticeBoard.show(kind, text, at: dependencies.now)
        Task { [weak self, clock = dependencies.clock] in
            try? await clock.sleep(for: kind.time)
            self?.noticeBoard.expire(notice.id)
        }
    }

    /// Hides the error that is shown.
    public func dismissError() { noticeBoard.dismiss(.error) }
}
