// SPDX-License-Identifier: Apache-2.0

/// Which actions are done at once, which only when the user agrees, and which not at all.
public struct ActionPolicy: Hashable, Sendable {
    /// What becomes of an action.
    public enum Decision: String, Hashable, Sendable, CaseIterable { case automatic, ask, deny }

    /// What an action does to what is there.
    public enum Effect: Hashable, Sendable, CaseIterable { case read, create, change, delete }

    private struct Key: Hashable, Sendable {
        var tag: ActionTag
        var effect: Effect
    }

    private var decisions: [Key: Decision] = [:]

    /// The default: reading and making are automatic, changing and deleting ask.
    public init() {}

    /// What becomes of an effect of a tag.
    public subscript(tag: ActionTag, effect: Effect) -> Decision {
        get { decisions[Key(tag: tag, effect: effect)] ?? (effect == .read || effect == .create ? .automatic : .ask) }
        set { decisions[Key(tag: tag, effect: effect)] = newValue }
    }

    /// The same for all effects of a tag.
    public mutating func set(_ tag: ActionTag, _ decision: Decision) {
        for effect in Effect.allCases { self[tag, effect] = decision }
    }

    /// What becomes of an action.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - readsUntrusted: whether the turn holds text from the web, a file, a note or another program: then nothing is
    ///     written without asking, and a search of the web, which carries words out, asks as well.
    /// - Returns: the decision; untrusted text only ever makes it stricter.
    public func decision(for action: Action, readsUntrusted: Bool) -> Decision {
        let decision = self[action.tag, action.effect]
        let isPrivate = action.effect == .read && action.tag != .webSearch
        return readsUntrusted && decision == .automatic && !isPrivate ? .ask : decision
    }
}

extension Action {
    /// What it does to what is there.
    public var effect: ActionPolicy.Effect {
        switch self {
        case .calendar(.create), .note(.create), .habit(.create), .reminder: .create
        // A day has one value, which a later one replaces: keeping it is no question.
        case .habit(.log): .create
        case .calendar(.update), .calendar(.reschedule), .note(.update): .change
        case .calendar(.delete), .calendar(.deleteAll), .note(.delete): .delete
        case .calendar(.list), .calendar(.query), .note(.search), .contacts, .habit(.query), .webSearch: .read
        }
    }

    /// Whether it only reads.
    public var isReading: Bool { effect == .read }
}
