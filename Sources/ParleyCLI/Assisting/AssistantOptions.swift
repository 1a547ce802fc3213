// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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

    /// The settings of the runner of actions.
    ///
    /// - Parameter more: further tools that are never used.
    /// - Returns: the settings.
    /// - Throws: `ValidationError` if there is no such tool.
    func settings(denying more: [String]) throws -> ActionRunner.Settings {
        for name in more { try Self.check(name) }
        var settings = ActionRunner.Settings()
        settings.isDryRun = dryRun
        for tag in ActionTag.allCases + [.tool] {
            if yes { settings.policy.set(tag, .automatic) }
            if ask {
                for effect in ActionPolicy.Effect.allCases where effect != .read { settings.policy[tag, effect] = .ask }
            }
        }
        for tag in (denied + more).compactMap(ActionTag.init(toolName:)) { settings.policy.set(tag, .deny) }
        return settings
    }

    /// The tools of servers that are never used, as `SERVER.TOOL`.
    func deniedTools(denying more: [String]) -> Set<String> { Set((denied + more).filter { $0.contains(".") }) }
}

extension ActionTag {
    /// The short name of the tag on the command line.
    var toolName: String {
        switch self {
        case .webSearch: "web"
        case .calendar: "calendar"
        case .note: "notes"
        case .contacts: "contacts"
        case .habit: "habits"
        case .reminder: "reminders"
        case .tool: "mcp"
        }
    }

    /// The tag with a short name; nil if there is none.
    init?(toolName: String) {
        guard let tag = (Self.allCases + [.tool]).first(where: { $0.toolName == toolName.lowercased() }) else {
            return nil
        }
        self = tag
    }
}
