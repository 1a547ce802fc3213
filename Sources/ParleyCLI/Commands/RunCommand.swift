// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels
import ParleyPython

/// `parley run`: prints the answer to one prompt.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Prints a model's answer to one prompt.",
        discussion: """
            The prompt is read from standard input where it is left out. In a prompt, - stands for what is piped in:
              parley run smollm2-135m "Summarise this:" - < notes.txt

            The status is 0 for an answer, also for one that --max-tokens or a full context cut off (the latter is told \
            on standard error); 1 for a failure, 2 for wrong usage and an empty prompt, 3 where --schema was given and \
            the answer is not the whole of its JSON, 130 for Ctrl-C.
            """)

    @Argument(help: .model, completion: .model)
    var model: String

    @Argument(help: "The prompt; - stands for standard input.")
    var prompt: [String] = []

    @Flag(help: "Print one JSON object with the answer, token counts and times.")
    var json = false

    @OptionGroup(title: "Answer options")
    var limits: AnswerOptions

    @OptionGroup(title: "Generation options")
    var generation: GenerationOptions

    func validate() throws {
        if !prompt.isEmpty, prompt.joined().allSatisfy(\.isWhitespace) {
            throw ValidationError("The prompt is empty.")
        }
    }

    func run() async throws {
        let console = Console()
        // Reports a wrong model name before the prompt is read from standard input.
        _ = try ModelStore.ofCommands.find(model)
        let prompt = try PromptSource.prompt(from: prompt) {
            try PromptSource.standardInput(remedy: "Pipe some text in, or write it after the model.")
        }
        let answer = SingleAnswer(model: model, options: generation, limits: limits, console: console)
        try await json ? answer.printJSON(to: prompt) : answer.print(to: prompt)
    }
}
