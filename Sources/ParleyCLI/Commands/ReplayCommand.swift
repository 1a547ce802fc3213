// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyModels

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
        help: "The chat: its number, as /chats lists them in 'parley assistant', or the beginning of its id.",
        completion: .chat)
    var chat: String

    @Argument(help: "The turn: the number of your message in the chat.")
    var turn: Int

    @Option(
        help: ArgumentHelp(
            "The model's name or file, if it is not found by its digest. It must be the same model.",
            valueName: "model"), completion: .model)
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
            let kept = try await KeptReply.replies(chat, turn: turn, in: ChatStore(directory: AssistantHome().chats))
            // The model may have been changed in the middle of a turn.
            var loaded: (digest: String?, runner: LocalModelRunner)?
            for reply in kept {
                if loaded == nil || loaded?.digest != reply.receipt.modelDigest {
                    await loaded?.runner.unload()
                    let name = try reply.model(named: model, in: loading.fetching.store)
                    let runner = try await loading.runner(of: name, showing: [], console: console)
                    loaded = (reply.receipt.modelDigest, runner)
                }
                guard let runner = loaded?.runner else { continue }
                let comparison = try await compare(reply, runner)
                let number = kept.count > 1 ? "Reply \(reply.pass) of \(kept.count): " : ""
                console.line(json ? comparison.json.text() : number + comparison.text)
                isSame = isSame && comparison.isSame
            }
            if !isSame { throw ExitCode(1) }
        } catch let error where !(error is CancellationError || error is ExitCode) {
            console.error(ErrorText.of(error))
            throw ExitCode(2)
        }
    }

    private func compare(_ kept: KeptReply, _ runner: LocalModelRunner) async throws -> ReplayComparison {
        let prompt = KeptPrompt(
            tokens: kept.receipt.promptTokens, startsInsideReasoning: kept.receipt.startsInsideReasoning,
            functions: kept.receipt.rule?.functions ?? [], options: kept.options)
        let outcome = try await Interrupts.shared.cancelling { try await runner.generate(again: prompt) }
        if outcome.finishReason == .cancelled { throw CancellationError() }
        return try ReplayComparison(kept, outcome.tokens ?? []) { try runner.text(of: $0) }
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
