// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of commands whose answers are text or JSON: where it ends, and what form it has.
struct AnswerOptions: ParsableArguments {
    @Option(
        name: .customLong("stop"),
        help: ArgumentHelp("End the reply before this text; may be given several times.", valueName: "text"))
    var stop: [String] = []

    @Option(
        help: ArgumentHelp(
            "Constrain the reply to JSON that is valid for the JSON Schema in this file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    func validate() throws {
        if stop.contains("") { throw ValidationError("--stop needs some text.") }
    }
}
