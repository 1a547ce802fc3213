// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyActions
package import ParleyAssistant
import ParleyHTTP
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleySystem
import Synchronization

/// The settings as the page shows and changes them. They stand in `settings.json`, which other faces of the assistant read
/// too; what concerns chats and consent counts from the next message on, the rest from the next start.
package final class SettingsBoard: Sendable {
    private typealias Ranges = AssistantSettings.Ranges

    private let directory: URL
    /// No other lock is taken while this one is held.
    private let settings: Mutex<AssistantSettings>

    /// Reads the settings of a data directory.
    ///
    /// - Throws: `AssistantError` if they cannot be understood.
    package init(in directory: URL) throws {
        self.directory = directory
        settings = Mutex(try AssistantSettings(in: directory))
    }

    /// The settings of chats as they are now.
    package var chat: ChatSettings { settings.withLock { $0 }.chat() }

    /// What actions may do as it is now.
    var limits: ActionRunner.Settings { settings.withLock { $0 }.limits }

    /// The settings in their form, with the keys of the server in theirs.
    func json(version: String, keys: JSONValue) -> JSONValue {
        let now = settings.withLock { $0 }
        let chat = now.chat()
        let policies = (ActionTag.allCases + [.tool]).map { tag in
            let effects = Self.effects(of: tag).map { ($0.rawValue, now.policy[tag, $0].rawValue) }
            return JSONValue.object([
                "tag": .string(tag.toolName), "title": .string(Self.title(of: tag)),
                "effects": .object(JSONObject(uniqueKeysWithValues: effects.map { ($0, .string($1)) })),
            ])
        }
        let search: JSONValue =
            switch now.search {
            case nil: ["engine": .null, "address": .null, "has_key": false]
            case .brave: ["engine": "brave", "address": .null, "has_key": .bool(Self.hasBraveKey)]
            case .searxng(let url):
                ["engine": "searxng", "address": .string(url.absoluteString), "has_key": false]
            }
        return [
            "policies": .array(policies), "search": search, "history_window": .integer(chat.historyWindow),
            "answer_tokens": .integer(chat.answerTokens), "thinking_tokens": .integer(chat.thinkingTokens),
            "deadline_seconds": .integer(Int(chat.deadline.components.seconds)),
            "temperature": now.temperature.map { .number(Double("\($0)") ?? Double($0)) } ?? .null,
            "ranges": Self.ranges,
            "folders": [
                "notes": now.notes.map { .string($0.path) } ?? .null,
                "calendars": now.calendars.map { .string($0.path) } ?? .null,
                "contacts": now.contacts.map { .string($0.path) } ?? .null,
            ], "keys": keys, "version": .string(version), "machine": .string(Self.machine),
        ]
    }

    /// The least and the largest number of each setting that is one.
    private static let ranges: JSONValue = .object(
        JSONObject(
            uniqueKeysWithValues: [
                ("history_window", Ranges.historyWindow), ("answer_tokens", Ranges.answerTokens),
                ("thinking_tokens", Ranges.thinkingTokens), ("deadline_seconds", Ranges.deadlineSeconds),
                ("temperature", Ranges.temperature),
            ].map { name, range in (name, JSONValue.array([.integer(range.lowerBound), .integer(range.upperBound)])) }))

    /// Changes a setting.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` or `AssistantError` if there is no such setting or no such value; what was
    ///   there stays.
    func set(_ name: String, to value: JSONValue) throws {
        let changed = try AssistantSettings.change(in: directory) { settings in
            switch name {
            case "history_window": settings.historyWindow = try Self.number(value, name, Ranges.historyWindow)
            case "answer_tokens": settings.answerTokens = try Self.number(value, name, Ranges.answerTokens)
            case "thinking_tokens": settings.thinkingTokens = try Self.number(value, name, Ranges.thinkingTokens)
            case "deadline_seconds": settings.deadlineSeconds = try Self.number(value, name, Ranges.deadlineSeconds)
            case "temperature":
                let (least, most) = (Ranges.temperature.lowerBound, Ranges.temperature.upperBound)
                guard value.isNull || value.number.map({ (Double(least)...Double(most)).contains($0) }) == true else {
                    throw Self.invalid("The temperature is a number from \(least) to \(most).", name)
                }
                settings.temperature = value.number.map(Float.init)
            case "search": settings.search = try Self.engine(value)
            case "policies": settings.policy = try settings.policy.changed(by: Self.policy(value))
            default: throw Self.invalid("There is no setting of this name.", "name")
            }
        }
        settings.withLock { $0 = changed }
    }

    private static func engine(_ value: JSONValue) throws -> SearchEngine? {
        guard let name = value["engine"]?.string else { return nil }
        guard value["key"]?.string == nil else {
            throw invalid("Put the key into the variable BRAVE_API_KEY of the server; it is kept in no file.", "search")
        }
        if name == "searxng" { return try SearchEngine("searxng=\(value["address"]?.string ?? "")") }
        return try SearchEngine(name)
    }

    /// What the page changes of the policies, which may be one decision alone, in the form of the file.
    private static func policy(_ value: JSONValue) throws -> JSONValue {
        guard let list = value.array else { throw invalid("The policies are a list.", "policies") }
        var tools: JSONObject = [:]
        for one in list {
            guard let tag = one["tag"]?.string, let effects = one["effects"] else {
                throw invalid("A policy has a tag and effects.", "policies")
            }
            tools[tag] = effects
        }
        return .object(tools)
    }

    private static func number(_ value: JSONValue, _ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        if value.isNull { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw invalid("\(name) is a whole number from \(range.lowerBound) to \(range.upperBound).", name)
        }
        return number
    }

    private static func invalid(_ message: String, _ name: String) -> ServerError {
        ServerError(400, .invalidValue, message, param: name)
    }

    private static var hasBraveKey: Bool { ProcessEnvironment.process["BRAVE_API_KEY"]?.isEmpty == false }

    private static var machine: String {
        let cores = usableProcessors()
        let memory = ByteSize(clamping: MachineMemory.current().physical)
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        return "\(cores) core\(cores == 1 ? "" : "s"), \(memory), \(system)"
    }

    /// What actions of a kind can do at all.
    private static func effects(of tag: ActionTag) -> [ActionPolicy.Effect] {
        switch tag {
        case .webSearch, .contacts: [.read]
        default: ActionPolicy.Effect.allCases
        }
    }

    private static func title(of tag: ActionTag) -> String {
        switch tag {
        case .calendar: "Calendar"
        case .reminder: "Reminders"
        case .note: "Notes"
        case .contacts: "Contacts"
        case .habit: "Habits"
        case .webSearch: "Web search"
        case .tool: "Tools of other programs"
        }
    }
}
