// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar
public import ParleyConversation
import ParleyJSON

/// What one block or one function call of a reply became: a card in the conversation.
///
/// A card is a value, which a history keeps. An ``ActionRunner`` makes it, and changes it when the user chooses;
/// ``choices`` tells what there is to choose. A card with ``problems`` can be corrected: the user edits its ``payload``.
public struct ActionCard: Hashable, Sendable, Codable, Identifiable {
    /// How far a card is.
    public enum Stage: String, Hashable, Sendable, Codable, CaseIterable {
        /// The payload has ``problems`` and can be corrected.
        case malformed
        /// The action was not planned, for the reason in ``failure``.
        case failed
        /// The policy, or the kind of the turn, does not allow the action; ``failure`` says which.
        case refused
        /// It is planned and shown only, because of a dry run.
        case planned
        /// It waits for the user's consent.
        case proposed
        /// The user declined.
        case declined
        /// It was carried out: what was read is in ``plan``, what was written in ``confirmation``.
        case done
    }

    /// Where the card comes from.
    public let origin: ActionOrigin
    /// The identifier of the function call that it answers; nil for a block.
    public var callID: String?
    /// The kind of action.
    public var tag: ActionTag
    /// The tool that is called; nil for another action.
    public internal(set) var tool: ToolName?
    /// The JSON object with the fields of the action, or the text of a block that contains none.
    public var payload: String
    /// What is wrong with the payload.
    public internal(set) var problems: [ActionProblem] = []
    /// How far the card is.
    public internal(set) var stage = Stage.proposed
    /// What the action would do, or what it found.
    public internal(set) var plan = ActionPlan()
    /// What the user chose where the action leaves a choice.
    public internal(set) var selection = ActionChoices()
    /// The state of the writing; nil for an action that reads.
    public internal(set) var confirmation: ConfirmationCard<StoreItem>?
    /// Why the action was not planned or not allowed, or why it waits again, in English.
    public internal(set) var failure: String?
    /// Whether the turn contained text from the web, a file, a note or another program.
    public internal(set) var readsUntrusted: Bool
    /// Whether it belongs to an answer from the web, which may only read.
    public internal(set) var isReadOnly = false
    /// The number of the last entry of the log that the card contains; 0 for none.
    public internal(set) var logged = 0
    /// When and where the payload was read, so that its words keep their meaning.
    var setting: SpokenSetting

    /// The identifier, which is that of the origin.
    public var id: String { origin.card }

    /// The time and place in which the words of the card were said.
    public var context: DateContext { setting.context }

    /// Creates a card for a block.
    ///
    /// - Parameters:
    ///   - block: the block.
    ///   - origin: where it comes from.
    ///   - context: when and where it is read.
    ///   - readsUntrusted: whether the turn contained untrusted text.
    public init(_ block: ActionBlock, origin: ActionOrigin, context: DateContext, readsUntrusted: Bool) {
        (self.origin, tag, self.readsUntrusted) = (origin, block.tag, readsUntrusted)
        payload = block.payload.isEmpty ? block.text : block.payload
        setting = SpokenSetting(context)
        read { decoder throws(ActionError) in try decoder.action(block) }
    }

    /// Creates a card for a function call; nil if the function is not one of the assistant's.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - origin: where it comes from.
    ///   - context: when and where it is read.
    ///   - readsUntrusted: whether the turn contained untrusted text.
    public init?(_ call: FunctionCall, origin: ActionOrigin, context: DateContext, readsUntrusted: Bool) {
        guard let tag = ActionTag(functionName: call.name) else { return nil }
        (self.origin, self.tag, self.readsUntrusted, callID) = (origin, tag, readsUntrusted, call.id)
        let arguments = JSONValue.object(call.arguments)
        payload = arguments.text()
        setting = SpokenSetting(context)
        read { decoder throws(ActionError) in try decoder.action(tag, arguments) }
    }

    /// Creates a card for the call of a tool of another program.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - tool: the tool that it names.
    ///   - origin: where it comes from.
    ///   - context: when and where it is read.
    ///   - readsUntrusted: whether the turn contained untrusted text.
    public init(
        _ call: FunctionCall, of tool: ToolName, origin: ActionOrigin, context: DateContext,
        readsUntrusted: Bool
    ) {
        (self.origin, self.tag, self.readsUntrusted, callID, self.tool) = (origin, .tool, readsUntrusted, call.id, tool)
        payload = JSONValue.object(call.arguments).text()
        setting = SpokenSetting(context)
    }

    /// The typed action; nil if the payload has problems.
    public var action: Action? {
        guard let value = try? JSONValue(parsing: payload) else { return nil }
        if let tool { return value.object.map { .tool(tool, arguments: $0) } }
        return try? ActionDecoder(context: context).action(tag, value)
    }

    /// Replaces the payload by a text of the user's; a block with its tag is accepted too.
    mutating func correct(_ text: String, context: DateContext) {
        setting = SpokenSetting(context)
        selection = ActionChoices()
        let parts = tool == nil ? ActionBlockScanner.parts(of: text) : []
        if case .block(let block)? = parts.first(where: { if case .block = $0 { true } else { false } }) {
            tag = block.tag
            payload = block.payload.isEmpty ? block.text : block.payload
            return read { decoder throws(ActionError) in try decoder.action(block) }
        }
        payload = text
        let (tag, tool) = (tag, tool)
        read { decoder throws(ActionError) in
            let value: JSONValue
            do {
                value = try JSONValue(parsing: text, limits: JSONLimits(bytes: ActionBlockScanner.limit))
            } catch {
                throw ActionError(problems: [ActionProblem("", .type, "The text is not JSON: \(error)")])
            }
            guard let tool else { return try decoder.action(tag, value) }
            guard let arguments = value.object else {
                throw ActionError(problems: [ActionProblem("", .type, "A JSON object is expected.")])
            }
            return .tool(tool, arguments: arguments)
        }
    }

    private mutating func read(_ action: (ActionDecoder) throws(ActionError) -> Action) {
        (problems, failure, stage) = ([], nil, .proposed)
        do {
            _ = try action(ActionDecoder(context: context))
        } catch {
            (problems, stage) = (error.problems, .malformed)
        }
    }
}

/// A ``DateContext`` that can be kept with a card.
struct SpokenSetting: Hashable, Sendable, Codable {
    private var now: Date
    private var zone: String
    private var firstWeekday: Int
    private var monthBeforeDay: Bool
    /// The hours of morning, afternoon, evening and night, in seconds.
    private var parts: [Range<Int>]

    init(_ context: DateContext) {
        now = context.now
        zone = context.clock.timeZone.identifier
        (firstWeekday, monthBeforeDay) = (context.firstWeekday.number, context.monthBeforeDay)
        parts = [context.parts.morning, context.parts.afternoon, context.parts.evening, context.parts.night].map {
            $0.lowerBound.seconds..<$0.upperBound.seconds
        }
    }

    var context: DateContext {
        var context = DateContext(
            now: now, timeZone: TimeZone(identifier: zone) ?? .gmt, locale: Locale(identifier: "en_001"))
        (context.firstWeekday, context.monthBeforeDay) = (Weekday(number: firstWeekday) ?? .monday, monthBeforeDay)
        guard parts.count == 4 else { return context }
        let hours = parts.map { LocalTime(seconds: $0.lowerBound)..<LocalTime(seconds: $0.upperBound) }
        (context.parts.morning, context.parts.afternoon) = (hours[0], hours[1])
        (context.parts.evening, context.parts.night) = (hours[2], hours[3])
        return context
    }
}
