// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything on which a chat depends. What is optional may be missing; the chat does without it.
public struct ChatDependencies: Sendable {
    /// Loads the model.
    public var models: any ChatModelProvider
    /// Carries out what the model proposes.
    public var actions: ActionRunner
    /// The settings, read anew for each turn.
    public var settings: @Sendable () -> ChatSettings
    /// Writes the system prompt.
    public var systemPrompt: any SystemPromptBuilder
    /// Keeps the chats; nil for a chat that is forgotten.
    public var history: (any ChatHistory)?
    /// Suggests what could be asked; nil for no suggestions.
    public var suggestions: (any PromptSuggester)?
    /// Turns speech into text.
    public var speech: (any SpeechInput)?
    /// Gives signs that can be felt.
    public var haptics: (any HapticFeedback)?
    /// Reads attached documents.
    public var documents: (any DocumentReader)?
    /// Keeps the pinned prompts.
    public var pinnedPrompts: (any PinnedPromptStore)?
    /// Shows progress outside the app.
    public var liveActivity: (any LiveActivity)?
    /// Listens without a hand on the device.
    public var handsFree: (any HandsFreeCoordinator)?
    /// Measures deadlines and the times of notices.
    public var clock: any Clock<Duration>
    /// The present time and place.
    public var context: @Sendable () -> DateContext

    /// The date of messages and notices.
    var now: Date { context().now }

    /// Creates dependencies; what is optional is missing until it is set.
    ///
    /// - Parameters:
    ///   - models: loads the model.
    ///   - actions: carries out what the model proposes.
    ///   - systemPrompt: writes the system prompt.
    ///   - settings: the settings.
    ///   - clock: measures deadlines and the times of notices.
    ///   - context: the present time and place.
    public init(
        models: any ChatModelProvider, actions: ActionRunner, systemPrompt: any SystemPromptBuilder,
        settings: @escaping @Sendable () -> ChatSettings = { ChatSettings() },
        clock: any Clock<Duration> = ContinuousClock(), context: @escaping @Sendable () -> DateContext
    ) {
        (self.models, self.actions, self.systemPrompt) = (models, actions, systemPrompt)
        (self.settings, self.clock, self.context) = (settings, clock, context)
    }
}
