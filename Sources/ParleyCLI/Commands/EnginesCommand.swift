// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyJSON
package import ParleyLocal
import ParleyLocalEngines
import ParleyModelFile
import ParleyModels

/// `parley engines`: lists what can run models, and why something cannot.
struct EnginesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engines", abstract: "Lists the engines that run models, and those that can be built in.",
        discussion: """
            --engine NAME of chat, run, bench and serve chooses one; automatic takes the first that reads the model and \
            works on this machine.
            """)

    @Flag(help: "Print one JSON array.")
    var json = false

    func run() {
        let console = Console()
        let rows = EngineRow.all(EngineDescriptor.builtIn)
        if json {
            console.line(JSONValue.array(rows.map(\.json)).text(.pretty))
        } else {
            console.paragraph(rows.map { $0.text(style: console.outputStyle) }.joined())
        }
    }
}

/// One engine in the list of `parley engines`.
package struct EngineRow: Sendable {
    let name: String
    let isBuiltIn: Bool
    let version: String?
    /// The formats it reads and its capabilities; empty for an engine that is not built in.
    let formats: [String]
    let capabilities: [String]
    /// Why it cannot be used here, with the remedy; nil if it can.
    let problem: [String]?

    /// The engines of this build, and then those that another build can have.
    package static func all(_ engines: [EngineDescriptor]) -> [EngineRow] {
        engines.map { engine in
            EngineRow(
                name: engine.name, isBuiltIn: true, version: engine.version(),
                formats: engine.formats.map(\.description).sorted(),
                capabilities: engine.capabilities.names + (engine.embeddings == nil ? [] : ["embeddings"]),
                problem: engine.problem().map { [$0] })
        }
            + OptionalEngine.all.filter { one in !engines.contains { $0.name == one.name } }.map { engine in
                EngineRow(
                    name: engine.name, isBuiltIn: false, version: nil, formats: [], capabilities: [],
                    problem: [
                        "for \(engine.purpose)", engine.script, "swift build -c release --traits \(engine.trait)",
                    ])
            }
    }

    /// A line for the engine, and further ones for what it reads or how it can be had.
    package func text(style: TextStyle) -> String {
        let state = !isBuiltIn ? "not built in" : problem == nil ? "ready" : "not usable here"
        let head = style.bold(name) + "  " + state + (version.map { ", version \($0)" } ?? "")
        let reads =
            formats.isEmpty
            ? [] : ["reads \(formats.joined(separator: ", "))", capabilities.joined(separator: ", ")]
        return ([head] + (reads + (problem ?? [])).map { style.dim("  \($0)") }).joined(separator: "\n") + "\n"
    }

    var json: JSONValue {
        [
            "name": .string(name), "built_in": .bool(isBuiltIn), "version": version.map { .string($0) } ?? .null,
            "formats": .array(formats.map(JSONValue.string)),
            "capabilities": .array(capabilities.map(JSONValue.string)),
            "problem": problem.map { .string($0.joined(separator: "; ")) } ?? .null,
        ]
    }
}
