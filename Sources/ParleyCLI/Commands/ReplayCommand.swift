// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyModels
import ParleySystem

/// `parley replay`: generates a reply of the assistant again.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Generates a reply of the assistant again, and says whether it is the same.",
        discussion: """
            The reply is generated from the very tokens of its prompt, by the same model, with the same options, seed \
            and schemas; nothing is carried out, and the chat stays as it is. Where the model searched the web or used \
            tools, each of its replies is generated again.

            The status is 0 if the reply is the same, 1 if it parts from the one that was kept, 2 if neither could be \
            found out, 130 for Ctrl-C.
            """)

    @Argument(
        help: """
            The chat: its number, as /chats lists them in 'parley assistant', or the beginning of its id, in eight \
            characters if they are all digits.
            """,
        completion: .chat)
    var chat: String

    @Argument(help: "The turn: the number of your message in the chat.")
    var turn: Int

    @Option(
        help: ArgumentHelp(
            "The model's name or file, if it is not found by its digest. It must be the same model.",
            valueName: "name"), completion: .model)
    var model: String?

    @Flag(help: "Print a JSON object for each reply.")
    var json = false

    @OptionGroup(title: "Loading options")
    var loading: LoadingOptions

    func validate() throws {
        if turn < 1 { throw ValidationError("Turns are counted from 1.") }
    }

    func run() async throws {
        let console = Console()
        do {
            var isSame = true
            let kept = try await KeptTurn(chat, turn, in: ChatStore(directory: AssistantHome().chats))
            // The model may have been changed in the middle of a turn.
            var loaded: (digest: String?, runner: LocalModelRunner)?
            for (index, reply) in kept.replies.enumerated() {
                if loaded == nil || loaded?.digest != reply.receipt.modelDigest {
                    await loaded?.runner.unload()
                    let name = try reply.model(named: model, in: loading.fetching.store)
                    let runner = try await loading.runner(of: name, showing: [], console: console)
                    loaded = (reply.receipt.modelDigest, runner)
                }
                guard let runner = loaded?.runner else { continue }
                let comparison = try await Interrupts.shared.cancelling {
                    try await ReplayComparison(of: reply, by: runner)
                }
                let number = kept.replies.count > 1 ? "Reply \(index + 1) of \(kept.replies.count): " : ""
                console.line(json ? comparison.json(of: reply, index + 1, in: kept).text() : number + comparison.text)
                isSame = isSame && comparison.isSame
            }
            if !isSame { throw ExitCode(1) }
        } catch let error where !(error is CancellationError || error is ExitCode) {
            console.error(ErrorText.of(error))
            throw ExitCode(2)
        }
    }
}

extension ReplayComparison {
    /// What a person is told.
    fileprivate var text: String {
        guard let parting else { return "The same \(ReplyReport.tokens(count))." }
        func quoted(_ text: String) -> String { JSONValue.string(PlainText.clean(text)).text() }
        return """
            The replies part at token \(parting.place + 1): \(count) \(count == 1 ? "was" : "were") kept, \
            \(countNow) came now.
            kept: \(quoted(parting.kept))
            now:  \(quoted(parting.now))
            """
    }

    /// What a program is told.
    fileprivate func json(of reply: KeptReply, _ number: Int, in turn: KeptTurn) -> JSONValue {
        var members: JSONObject = [
            "chat": .string(turn.chat.uuidString), "turn": .integer(turn.number), "reply": .integer(number),
            "message": .string(reply.message.uuidString), "model": .string(reply.receipt.model),
        ]
        members["model_digest"] = reply.receipt.modelDigest.map { .string($0) }
        members["prompt_digest"] = reply.receipt.promptDigest.map { .string($0) }
        members.merge(json) { own, _ in own }
        return .object(members)
    }
}

extension CompletionKind {
    /// Completes the id of a chat.
    static let chat = CompletionKind.custom { _, _, _ in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: AssistantHome().chats.path)) ?? []
        return names.filter { $0.hasSuffix(".json") && UUID(uuidString: String($0.dropLast(5))) != nil }
            .map { String($0.dropLast(5)) }.sorted()
    }
}
