// SPDX-License-Identifier: Apache-2.0

// A chat in the terminal that goes on where it ended last time. Ctrl-D ends it.
//
//     swift run -c release ParleyChatExample [history.json]

import Foundation
import Parley

@main
struct Chat {
    static func main() async {
        do {
            try await chat(historyFile: CommandLine.arguments.dropFirst().first.map { URL(filePath: $0) })
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    static func chat(historyFile: URL?) async throws {
        let runner = try await LocalModelRunner.load("smollm2-135m")
        let conversation = try resume(historyFile, with: runner)
        conversation.contextPolicy = .dropOldestTurns
        // Always the likeliest word, so that a small model strays less, and an end where it strays all the same.
        let options = GenerationOptions(temperature: 0, maxTokens: 300)

        while let line = ask("> ") {
            if line.isEmpty { continue }
            for try await response in conversation.reply(to: line, generationOptions: options) {
                if case .chunk(let text) = response { show(text) }
            }
            show("\n")
        }

        if let historyFile { try JSONEncoder().encode(conversation.record).write(to: historyFile, options: .atomic) }
        await runner.unload()
    }

    static func resume(_ file: URL?, with runner: LocalModelRunner) throws -> Conversation {
        if let file, FileManager.default.fileExists(atPath: file.path) {
            let record = try JSONDecoder().decode(ConversationRecord.self, from: Data(contentsOf: file))
            return Conversation(resuming: record, modelRunner: runner)
        }
        return runner.createConversation(systemPrompt: "You are a helpful assistant.")
    }

    static func ask(_ prompt: String) -> String? {
        show(prompt)
        return readLine()
    }

    /// Shows a piece of text at once, where `print` may wait for the end of the line.
    static func show(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
