// SPDX-License-Identifier: Apache-2.0

/// Decides which actions are carried out immediately, which need the user's consent, and which are refused.
public struct ActionPolicy: Hashable, Sendable {
    /// The decision about an action.
    public enum Decision: String, Hashable, Sendable, Codable, CaseIterable { case automatic, ask, deny }

    /// The effect of an action on existing data.
    public enum Effect: String, Hashable, Sendable, Codable, CaseIterable { case read, create, change, delete }

    private struct Key: Hashable, Sendable {
        var tag: ActionTag
        var effect: Effect
    }

    private var decisions: [Key: Decision] = [:]

    /// Whether two policies decide the same.
    public static func == (one: ActionPolicy, other: ActionPolicy) -> Bool {
        let keys = Set(one.decisions.keys).union(other.decisions.keys)
        return keys.allSatisfy { one[$0.tag, $0.effect] == other[$0.tag, $0.effect] }
    }

    /// Hashes the decisions that differ from the usual.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(decisions.filter { $0.value != Self.usual($0.key.effect) })
    }

    private static func usual(_ effect: Effect) -> Decision {
        effect == .read || effect == .create ? .automatic : .ask
    }

    /// Creates the default policy: reading and creating are automatic, changing and deleting need consent.
    public init() {}

    /// The decision for an effect of a tag.
    public subscript(tag: ActionTag, effect: Effect) -> Decision {
        get { decisions[Key(tag: tag, effect: effect)] ?? Self.usual(effect) }
        set { decisions[Key(tag: tag, effect: effect)] = newValue }
    }

    /// Sets the same decision for all effects of a tag.
    public mutating func set(_ tag: ActionTag, _ decision: Decision) {
        for effect in Effect.allCases { self[tag, effect] = decision }
    }

    /// Decides about an action.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - readsUntrusted: whether the turn contains text from the web, a file, a note or another program. In that
    ///     case, consent is needed for everything that writes, and for web searches, which could disclose private
    ///     words.
    /// - Returns: the decision; untrusted text can only make it stricter.
    public func decision(for action: Action, readsUntrusted: Bool) -> Decision {
        let decision = self[action.tag, action.effect]
        let isPrivate = action.effect == .read && action.tag != .webSearch
        return readsUntrusted && decision == .automatic && !isPrivate ? .ask : decision
    }
}

extension Action {
    /// The effect of the action on existing data.
    public var effect: ActionPolicy.Effect {
        switch self {
        case .calendar(.create), .note(.create), .habit(.create), .reminder: .create
        // A habit has one value per day, so replacing it counts as creating and needs no consent.
        case .habit(.log): .create
        // What a tool does, only its program knows.
        case .calendar(.update), .calendar(.reschedule), .note(.update), .tool: .change
        case .calendar(.delete), .calendar(.deleteAll), .note(.delete): .delete
        case .calendar(.list), .calendar(.query), .note(.search), .contacts, .habit(.query), .webSearch: .read
        }
    }

    /// Whether the action only reads.
    public var isReading: Bool { effect == .read }

    /// Whether the action changes items of the stores, through the log.
    var changesItems: Bool { !isReading && tag != .tool }
}
