// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyConversation
import ParleyLocal
import ParleyModels
import ParleyRemote

/// `parley chat`: a conversation on the terminal.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Starts a chat with a model.",
        discussion: """
            On a terminal this is a conversation; /help lists what can be done in it. Text that is piped in is one \
            prompt, also where it begins with a slash, and its answer is all that is printed.

            With --remote, a server replies: parley chat --remote http://127.0.0.1:8080 --model NAME
            With --voice messages are spoken, with --speak replies are read aloud; both together need no hands.

            The status is 0 when you leave, and for an answer to what was piped in, also one that --max-tokens or a full \
            context cut off; 1 for a failure, 2 for wrong usage and an empty prompt, 3 where --schema was given and the \
            answer is not the whole of its JSON, 130 for Ctrl-C.
            """)

    @Argument(help: .model, completion: .model)
    var model = Catalog.builtIn.defaultEntry?.name ?? ""

    @OptionGroup(title: "Server options")
    var remote: RemoteOptions

    @OptionGroup(title: "Speech")
    var voice: VoiceOptions

    @OptionGroup(title: "Answer options")
    var limits: AnswerOptions

    @OptionGroup(title: "Generation options")
    var generation: GenerationOptions

    mutating func validate() throws { try remote.exclude(model, generation.loading, hears: voice.voice) }

    func run() async throws {
        let console = Console()
        guard Terminal.Stream.input.isTerminal, Terminal.Stream.output.isTerminal, let mode = TerminalMode() else {
            if voice.isWanted { throw VoiceOptions.noTerminal }
            let prompt = try PromptSource.standardInput()
            let answer = SingleAnswer(
                model: model, remote: remote, options: generation, limits: limits, console: console)
            return try await answer.print(to: prompt)
        }
        let options = try generation.conversationOptions(limits)
        let images = try generation.images()
        let (runner, facts) = try await runner(showing: images, console: console)
        let chat = Chat(runner, system: generation.system, images: images, options: options)
        let desk = try await voice.desk(generation.loading, console: console)
        console.title(runner.modelID, facts)
        console.line()
        do {
            try await ChatLoop(chat: chat, mode: mode, desk: desk).run()
        } catch {
            await desk?.close()
            throw error
        }
        await desk?.close()
    }

    /// The runner, and what is said of it after its name.
    private func runner(showing images: [Data], console: Console) async throws -> (any ModelRunner, facts: String) {
        if let chosen = try await remote.model(console: console) { return (chosen.runner, chosen.facts) }
        let runner = try await generation.loading.runner(of: model, showing: images, console: console)
        return (runner, " · context \(runner.contextSize) tokens")
    }
}
