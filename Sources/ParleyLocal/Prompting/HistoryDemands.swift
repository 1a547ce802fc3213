// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect

/// The restrictions of a chat template on the messages that it renders.
///
/// Some templates refuse two consecutive messages with the same role, as they occur after a reply that was stopped
/// before its first word; others silently omit messages. The restrictions are found by rendering small histories. The
/// messages are then changed as little as possible, and only in the prompt.
struct HistoryDemands: OptionSet, Sendable {
    let rawValue: UInt8

    /// Consecutive messages with the same role must be merged, except results of functions.
    static let mergedNeighbours = HistoryDemands(rawValue: 1)
    /// Only the first message may have the system role; later system messages become user messages. The same goes for
    /// the developer, whose role templates treat like that of the system.
    static let oneSystemMessage = HistoryDemands(rawValue: 2)
    /// No message may have the system role; system messages become user messages.
    static let noSystemMessage = HistoryDemands(rawValue: 4)
    /// The first message after the system message must be the user's.
    static let userFirst = HistoryDemands(rawValue: 8)
    /// There must be at least one user message.
    static let someUser = HistoryDemands(rawValue: 16)
    /// Replies must not be empty.
    static let noEmptyReplies = HistoryDemands(rawValue: 32)
    /// Function calls and their results must be written as text, in assistant and user messages.
    static let spelledCalls = HistoryDemands(rawValue: 64)

    /// The restrictions of templates that support only one system message, followed by turns of user and assistant.
    static let turnsOnly: HistoryDemands = [
        .mergedNeighbours, .oneSystemMessage, .userFirst, .someUser, .noEmptyReplies, .spelledCalls,
    ]

    /// Determines the restrictions of a template.
    ///
    /// - Parameter render: returns the prompt for a history, or nil if the template refuses it.
    init(of render: ([ChatMessage]) -> String?) {
        func renders(_ messages: ChatMessage...) -> Bool {
            guard let prompt = render(messages).map({ Array($0.utf8)[...] }) else { return false }
            return messages.allSatisfy { $0.text.isEmpty || prompt.firstPlace(of: Array($0.text.utf8)) != nil }
        }
        self = []
        let question = ChatMessage.user("questionone")
        let next = ChatMessage.user("questiontwo")
        let answer = ChatMessage.assistant("answerone")
        let rule = ChatMessage.system("ruleone")
        // If the template refuses even this history, further refusals prove nothing.
        guard renders(question) else { return }
        if !renders(rule, question) {
            insert(.noSystemMessage)
        } else if !renders(rule, question, answer, .system("ruletwo"), next) || !renders(rule, .system("ruletwo"), next)
        {
            insert(.oneSystemMessage)
        }
        if !renders(question, next) || !renders(question, answer, .assistant("answertwo"), next) {
            insert(.mergedNeighbours)
        }
        if !renders(answer, question) { insert(.userFirst) }
        if !renders(rule) || !renders(answer) { insert(.someUser) }
        if !renders(question, .assistant(""), next) { insert(.noEmptyReplies) }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Returns the messages in a form that the template accepts, with calls as text in the given format if necessary.
    func shape(_ messages: [ChatMessage], spellingCallsAs format: FunctionCallFormat) -> [ChatMessage] {
        var messages = contains(.spelledCalls) ? format.spellingOutCalls(in: messages) : messages
        if contains(.noEmptyReplies) { messages.removeAll(where: \.saysNothing) }
        var head = messages.prefix(while: \.isInstruction).count
        if contains(.noSystemMessage) { head = 0 }
        if !isDisjoint(with: [.noSystemMessage, .oneSystemMessage]) {
            for index in messages.indices.dropFirst(head) where messages[index].isInstruction {
                messages[index].role = .user
            }
            if head > 1 {
                messages.replaceSubrange(..<head, with: [ChatMessage(merging: messages[..<head])])
                head = 1
            }
        }
        let lacksFirst = contains(.userFirst) && messages.dropFirst(head).first?.role != .user
        let lacksAny = contains(.someUser) && !messages.contains { $0.role == .user }
        if lacksFirst || lacksAny { messages.insert(.user(""), at: head) }
        guard !isDisjoint(with: [.mergedNeighbours, .noSystemMessage]) else { return messages }
        var merged: [ChatMessage] = []
        var rest = messages[...]
        while let first = rest.first {
            let run = first.role == .tool ? rest.prefix(1) : rest.prefix { $0.role == first.role }
            merged.append(run.count > 1 ? ChatMessage(merging: run) : first)
            rest = rest[run.endIndex...]
        }
        return merged
    }
}

extension ChatMessage {
    fileprivate var isInstruction: Bool { role == .system || role == .developer }

    /// Whether a reply contains nothing that the template could render.
    fileprivate var saysNothing: Bool {
        role == .assistant && rawOutput == nil && (functionCalls ?? []).isEmpty
            && content.allSatisfy { $0 == .text("") }
    }

    /// Merges messages with the same role: all parts in order, with an empty line between messages.
    fileprivate init(merging messages: ArraySlice<ChatMessage>) {
        func joined(_ texts: [String?]) -> String? {
            let texts = texts.compactMap(\.self).filter { !$0.isEmpty }
            return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
        }
        self = messages[messages.startIndex]
        var saysSomething = false
        content = []
        for message in messages {
            let adds = message.content.contains { $0 != .text("") }
            if saysSomething, adds { content.append(.text("\n\n")) }
            content += message.content
            saysSomething = saysSomething || adds
        }
        reasoningContent = joined(messages.map(\.reasoningContent))
        let calls = messages.flatMap { $0.functionCalls ?? [] }
        functionCalls = calls.isEmpty ? nil : calls
        if messages.contains(where: { $0.name != name }) { name = nil }
        let isReplayed = messages.contains { $0.rawOutput != nil }
        rawOutput = isReplayed ? joined(messages.map { $0.rawOutput ?? $0.text }) : nil
    }
}
