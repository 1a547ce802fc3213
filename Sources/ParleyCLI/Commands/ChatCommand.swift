// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyLocal
import ParleyModels

/// `parley chat`: a conversation on the terminal.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Starts a chat with a model.",
        discussion: """
            On a terminal this is a conversation; /help lists what can be done in it. Text that is piped in is one \
            prompt, and its answer is all that is printed.
            """)

    @Argument(help: .model, completion: .model)
    var model = Catalog.builtIn.defaultEntry?.name ?? ""

    @OptionGroup(title: "Generation options")
    var generation: GenerationOptions

    func run() async throws {
        let console = Console()
        guard Terminal.Stream.input.isTerminal, Terminal.Stream.output.isTerminal, let mode = TerminalMode() else {
            let prompt = try PromptSource.standardInput()
            let answer = SingleAnswer(model: model, options: generation, console: console)
            return try await answer.print(to: prompt)
        }
        let options = try generation.conversationOptions()
        let images = try generation.images()
        let runner = try await generation.loading.runner(of: model, showing: images, console: console)
        let chat = Chat(runner, system: generation.system, images: images, options: options)
        let style = console.outputStyle
        console.line(
            style.bold(runner.modelID) + style.dim(" · context \(runner.contextSize) tokens · /help lists commands\n"))
        try await ChatLoop(chat: chat, mode: mode).run()
    }
}
