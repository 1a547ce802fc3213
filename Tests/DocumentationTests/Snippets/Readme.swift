// SPDX-License-Identifier: Apache-2.0

import Parley

/// The example of README.md, to be compiled.
enum Readme {
    static func program() async throws {
        let runner = try await LocalModelRunner.load("smollm2-135m")  // or qwen3-0.6b:Q4_K_M, hf:OWNER/REPO, a path
        let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
        for try await response in conversation.reply(to: "Write a haiku about the sea.") {
            if case .chunk(let text) = response { print(text, terminator: "") }
        }
    }
}
