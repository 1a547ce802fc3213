// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import ParleyConstraint
import ParleyJSON

/// `parley constrain`: checks which JSON values a schema's constraint accepts.
struct ConstrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "constrain", abstract: "Checks which JSON values a schema accepts when it constrains replies.",
        discussion: """
            Prints a JSON array with true or false for each value. A schema that cannot be enforced is refused with the \
            keyword at fault and its place.
            """)

    @Option(
        help: ArgumentHelp("A JSON Schema (2020-12); - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String

    @Option(
        help: ArgumentHelp("A JSON array of values; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var check: String

    func run() throws {
        let schema = try InputFile.json(schema)
        guard let values = try InputFile.json(check).array else {
            throw CommandError("\(InputFile.name(of: check)) does not contain a JSON array.")
        }
        let program: ConstraintProgram
        do {
            program = try ConstraintProgram(schema: schema)
        } catch {
            throw CommandError("The schema cannot be enforced: \(error)", cause: error)
        }
        var verdicts: [JSONValue] = []
        for (index, value) in values.enumerated() {
            do {
                verdicts.append(.bool(try program.check(value)))
            } catch {
                throw CommandError("Value \(index + 1) cannot be checked: \(error)", cause: error)
            }
        }
        Console().line(JSONValue.array(verdicts).text())
    }
}
