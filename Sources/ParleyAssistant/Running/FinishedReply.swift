// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A reply that has ended, with what decides about its actions.
public struct FinishedReply: Sendable {
    /// What the actions of a reply may do.
    public enum Mode: String, Hashable, Sendable, Codable {
        /// Whatever the policy allows.
        case full
        /// Only read: the reply answers from results of the web.
        case readOnly
    }

    /// The identifier of the chat.
    public var chat: String
    /// The identifier of the reply's message.
    public var message: String
    /// The text, with its blocks.
    public var text: String
    /// The function calls, in order.
    public var calls: [FunctionCall]
    /// Why it ended; nil if it ended with an error.
    public var finish: FinishReason?
    /// Whether the model read text from the web, a file, a note or another program in this turn.
    public var readsUntrusted: Bool
    /// The programs whose tools were described to the model. What one says of its tools is its own text: it may lead to
    /// a call of those, but makes the turn untrusted for everything else.
    public var toolServers: Set<String>
    /// What its actions may do.
    public var mode: Mode
    /// What the user asked, for a second pass that answers from the web.
    public var question: String

    /// Creates a value that describes a reply.
    public init(
        chat: String, message: String, text: String, calls: [FunctionCall] = [], finish: FinishReason?,
        readsUntrusted: Bool, toolServers: Set<String> = [], mode: Mode = .full, question: String = ""
    ) {
        (self.chat, self.message, self.text, self.calls) = (chat, message, text, calls)
        (self.finish, self.readsUntrusted, self.toolServers) = (finish, readsUntrusted, toolServers)
        (self.mode, self.question) = (mode, question)
    }

    /// Whether the model read text of others before it called a tool of `server`, or asked for an action of Parley's.
    func readsUntrusted(calling server: String?) -> Bool {
        readsUntrusted || toolServers.contains { $0 != server }
    }

    /// Whether the reply ended by itself. Nothing is carried out after a stop, a deadline, a limit or an error.
    public var endedByItself: Bool { finish == .stop || finish == .functionCall }
}

extension FinishedReply {
    /// The cards of the reply's blocks and then of its calls, in order, as they are before anything is done.
    ///
    /// - Parameters:
    ///   - tools: the tools that it may call.
    ///   - context: gives the time and place at which a card is made.
    /// - Returns: the cards.
    func cards(tools: [AssistantTool], context: () -> DateContext) -> [ActionCard] {
        var new: [ActionCard] = []
        func origin() -> ActionOrigin { ActionOrigin(chat: chat, message: message, index: new.count) }
        for case .block(let block) in ActionBlockScanner.parts(of: text) {
            new.append(
                ActionCard(block, origin: origin(), context: context(), readsUntrusted: readsUntrusted(calling: nil)))
        }
        for call in calls {
            let (origin, context) = (origin(), context())
            let tool = tools.first { $0.function.name == call.name }?.name
            let isUntrusted = readsUntrusted(calling: tool?.server)
            if let tool {
                new.append(ActionCard(call, of: tool, origin: origin, context: context, readsUntrusted: isUntrusted))
            } else if let card = ActionCard(call, origin: origin, context: context, readsUntrusted: isUntrusted) {
                new.append(card)
            }
        }
        return new
    }
}
