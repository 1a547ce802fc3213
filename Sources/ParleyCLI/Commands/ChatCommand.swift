// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `parley chat`: a conversation on the terminal.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Starts a chat with a model.",
        discussion: """
            On a terminal this is a conversation; /help lists what can be done in it. Text that is piped in is one \
            prompt, and its answer is all that is printed.
            """)

    @Argument(help: .model, completion: .model)
    var model = ModelLibrary.defaultModel

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
        let loaded = try await ModelLibrary(console: console)
            .load(model, generation.loading, showsImages: !images.isEmpty)
        let chat = Chat(
            try loaded.runner(showing: images, console: console), system: generation.system, images: images,
            options: options)
        let style = console.outputStyle
        console.line(
            style.bold(loaded.name) + style.dim(" · context \(loaded.context) tokens · /help lists commands\n"))
        try await ChatLoop(chat: chat, mode: mode).run()
    }
}
