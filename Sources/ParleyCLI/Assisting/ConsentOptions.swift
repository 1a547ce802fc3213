// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyActions
import ParleyAssistant

/// What the assistant may do without asking.
struct ConsentOptions: ParsableArguments {
    @Flag(help: "Do what the model proposes without asking; what follows text of others is asked about all the same.")
    var yes = false

    @Flag(help: "Ask before every change, also before something new is created.")
    var ask = false

    @Option(
        name: .customLong("deny"),
        help: ArgumentHelp(
            "Never use this tool: \(Self.names); may be given several times.", valueName: "tool"),
        completion: .list((ActionTag.allCases + [.tool]).map(\.toolName)))
    var denied: [String] = []

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    private static var names: String {
        (ActionTag.allCases.map(\.toolName) + ["mcp"]).joined(separator: ", ") + ", or SERVER.TOOL"
    }

    mutating func validate() throws {
        if yes, ask { throw ValidationError("--yes and --ask exclude each other.") }
        for name in denied { try Self.check(name) }
    }

    private static func check(_ name: String) throws {
        guard ActionTag(toolName: name) == nil, !name.contains(".") else { return }
        throw ValidationError("There is no tool \"\(name)\". The tools are \(names).")
    }

    /// The settings of the runner of actions: those of the file, of which the options take the place. What one of both
    /// denies stays denied.
    ///
    /// - Parameter kept: the settings of the file.
    /// - Returns: the settings.
    /// - Throws: `ValidationError` if a tool that is denied does not exist.
    func settings(over kept: AssistantSettings) throws -> ActionRunner.Settings {
        for name in kept.denied { try Self.check(name) }
        var settings = kept.limits
        settings.isDryRun = dryRun
        for tag in ActionTag.allCases + [.tool] {
            for effect in ActionPolicy.Effect.allCases where settings.policy[tag, effect] != .deny {
                if yes { settings.policy[tag, effect] = .automatic }
                if ask, effect != .read { settings.policy[tag, effect] = .ask }
            }
        }
        for tag in denied.compactMap(ActionTag.init(toolName:)) { settings.policy.set(tag, .deny) }
        return settings
    }

    /// The tools of servers that are never used, as `SERVER.TOOL`.
    func deniedTools(over kept: AssistantSettings) -> Set<String> {
        kept.deniedTools.union(denied.filter { $0.contains(".") })
    }
}
