// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyConversation
import ParleyFiles
package import ParleyJSON
import ParleySystem

/// What the user has set up for the assistant in `$PARLEY_HOME/settings.json`; options of the command line come first.
///
///     {"search": "searxng=http://localhost:8888", "notes": "~/Vault", "calendars": "~/Calendars",
///      "contacts": "~/Contacts", "deny": ["web", "files.write_file"], "enrich": true,
///      "policy": {"calendar": {"delete": "deny"}}, "history_window": 20, "answer_tokens": 1024,
///      "thinking_tokens": 1024, "deadline_seconds": 90, "temperature": 0.7}
package struct AssistantSettings: Hashable, Sendable {
    /// The name of the file.
    package static let fileName = "settings.json"
    /// The largest size of the file in bytes.
    private static let limit = 1 << 20

    /// The numbers that the settings may be.
    package enum Ranges {
        /// Of ``AssistantSettings/historyWindow``.
        package static let historyWindow = 1...1_000
        /// Of ``AssistantSettings/answerTokens``.
        package static let answerTokens = 1...1_000_000
        /// Of ``AssistantSettings/thinkingTokens``.
        package static let thinkingTokens = 0...1_000_000
        /// Of ``AssistantSettings/deadlineSeconds``.
        package static let deadlineSeconds = 1...86_400
        /// Of ``AssistantSettings/temperature``.
        package static let temperature = 0...2
    }

    /// The search engine.
    package var search: SearchEngine?
    /// The folder of the notes.
    package var notes: URL?
    /// The folder of the calendars.
    package var calendars: URL?
    /// The folder of the address books.
    package var contacts: URL?
    /// Tools that are never used.
    package var denied: [String] = []
    /// Whether notes are summarised while the model is idle.
    package var enrichesNotes = false
    /// Which actions are carried out, asked about and refused.
    package var policy = ActionPolicy()
    /// The number of messages that the model reads; nil for the number that fits the machine.
    package var historyWindow: Int?
    /// The largest number of tokens of an answer; nil for the usual one.
    package var answerTokens: Int?
    /// The largest number of tokens of reasoning; nil for the usual one.
    package var thinkingTokens: Int?
    /// How long a reply may take, in seconds; nil for the usual time.
    package var deadlineSeconds: Int?
    /// How tokens are drawn; nil for what the model's file says.
    package var temperature: Float?
    /// Members that mean nothing here, perhaps because they are misspelt.
    package private(set) var unknown: [String] = []

    /// The members as they were read, so that writing keeps what is not known here, and how folders are spelt.
    private var members: JSONObject = [:]

    /// Settings of which none is made.
    package init() {}

    /// Whether the same is set, however it is spelt.
    package static func == (one: Self, other: Self) -> Bool { one.json == other.json }

    /// Hashes what is set.
    package func hash(into hasher: inout Hasher) { hasher.combine(json) }

    // MARK: Reading

    /// Reads the file in a directory; without one, no setting is made.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` or `storeUnavailable`, which names the file and the member.
    package init(in directory: URL) throws(AssistantError) {
        let data: Data
        do {
            data = try WholeFile.contents(of: directory.appending(path: Self.fileName), limit: Self.limit)
        } catch {
            guard error.code == .notFound else {
                throw AssistantError(
                    .storeUnavailable, "\(Self.fileName) cannot be read: \(error.message)", cause: error)
            }
            self.init()
            return
        }
        try self.init(parsing: data)
    }

    /// Reads the bytes of a file.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` that names the member.
    package init(parsing data: Data) throws(AssistantError) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: data, limits: JSONLimits(depth: 8, bytes: Self.limit))
        } catch {
            throw AssistantError(.invalidInput, "\(Self.fileName) is not valid JSON: \(error)", cause: error)
        }
        guard let members = json.object else { throw Self.wrong("must hold an object: {…}.") }
        try self.init(members)
    }

    private init(_ members: JSONObject) throws(AssistantError) {
        self.members = members
        for (name, value) in members where !value.isNull {
            switch name {
            case "search": search = try SearchEngine(Self.text(value, name))
            case "notes": notes = Self.folder(try Self.text(value, name))
            case "calendars": calendars = Self.folder(try Self.text(value, name))
            case "contacts": contacts = Self.folder(try Self.text(value, name))
            case "deny":
                guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
                    throw Self.wrong(": deny must be a list of texts, such as [\"web\"].")
                }
                denied = list.compactMap(\.string)
            case "enrich":
                guard let isOn = value.bool else { throw Self.wrong(": enrich must be true or false.") }
                enrichesNotes = isOn
            case "policy": policy = try Self.policy(value)
            case "history_window": historyWindow = try Self.number(value, name, Ranges.historyWindow)
            case "answer_tokens": answerTokens = try Self.number(value, name, Ranges.answerTokens)
            case "thinking_tokens": thinkingTokens = try Self.number(value, name, Ranges.thinkingTokens)
            case "deadline_seconds": deadlineSeconds = try Self.number(value, name, Ranges.deadlineSeconds)
            case "temperature": temperature = try Self.temperature(value)
            default: unknown.append(name)
            }
        }
    }

    private static func wrong(_ what: String) -> AssistantError {
        AssistantError(.invalidInput, fileName + (what.hasPrefix(":") ? "" : " ") + what)
    }

    private static func text(_ value: JSONValue, _ name: String) throws(AssistantError) -> String {
        guard let text = value.string, !text.isEmpty else { throw wrong(": \(name) must be a text.") }
        return text
    }

    private static func number(
        _ value: JSONValue, _ name: String, _ range: ClosedRange<Int>
    ) throws(AssistantError) -> Int {
        guard let number = value.integer, range.contains(number) else {
            throw wrong(": \(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func policy(_ value: JSONValue) throws(AssistantError) -> ActionPolicy {
        do {
            return try ActionPolicy(saved: value)
        } catch {
            throw wrong(": \(error.message)")
        }
    }

    private static func temperature(_ value: JSONValue) throws(AssistantError) -> Float {
        let range = Ranges.temperature
        guard let number = value.number, (Double(range.lowerBound)...Double(range.upperBound)).contains(number) else {
            throw wrong(": temperature must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return Float(number)
    }

    /// The folder at a path, in which `~` is the user's home.
    package static func folder(_ path: String) -> URL {
        URL(filePath: NSString(string: path).expandingTildeInPath, directoryHint: .isDirectory)
    }

    // MARK: Writing

    /// The object of the file: the members as they were read, and in place of those that have changed, new ones.
    package var json: JSONValue {
        let before = (try? Self(members)) ?? Self()
        var members = members
        func put<Value: Equatable>(_ name: String, _ path: KeyPath<Self, Value>, _ value: (Value) -> JSONValue?) {
            if self[keyPath: path] != before[keyPath: path] { members[name] = value(self[keyPath: path]) }
        }
        put("search", \.search) { $0.map { .string($0.name) } }
        put("notes", \.notes) { $0.map { .string($0.path) } }
        put("calendars", \.calendars) { $0.map { .string($0.path) } }
        put("contacts", \.contacts) { $0.map { .string($0.path) } }
        put("deny", \.denied) { $0.isEmpty ? nil : .array($0.map { .string($0) }) }
        put("enrich", \.enrichesNotes) { $0 ? true : nil }
        put("policy", \.policy) { $0 == ActionPolicy() ? nil : $0.saved }
        put("history_window", \.historyWindow) { $0.map { .integer($0) } }
        put("answer_tokens", \.answerTokens) { $0.map { .integer($0) } }
        put("thinking_tokens", \.thinkingTokens) { $0.map { .integer($0) } }
        put("deadline_seconds", \.deadlineSeconds) { $0.map { .integer($0) } }
        put("temperature", \.temperature) { $0.map { .number(Double("\($0)") ?? Double($0)) } }
        return .object(members)
    }

    /// Changes the settings of a directory: reads them anew, and writes the whole file in place of the one that is there.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - change: what is changed.
    /// - Returns: the settings as they are now.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, also while another process writes them, or
    ///   `invalidInput` if a value cannot be read again or the file cannot be understood, which stays as it is; what
    ///   `change` throws.
    @discardableResult
    package static func change(in directory: URL, _ change: (inout Self) throws -> Void) throws -> Self {
        let lock: FileLock?
        do {
            lock = try FileLock.take(.exclusive, at: directory.appending(path: ".\(fileName).lock"))
        } catch {
            throw AssistantError(.storeUnavailable, "\(fileName) cannot be changed: \(error.message)", cause: error)
        }
        defer { withExtendedLifetime(lock) {} }
        guard lock != nil else {
            throw AssistantError(.storeUnavailable, "Another program is changing \(fileName); try again.")
        }
        var settings = try Self(in: directory)
        try change(&settings)
        let data = Data((settings.json.text(.pretty) + "\n").utf8)
        // What could not be read at the next start is not written.
        settings = try Self(parsing: data)
        do {
            try WholeFile.write(data, to: directory.appending(path: fileName))
        } catch {
            throw AssistantError(.storeUnavailable, "\(fileName) cannot be written: \(error.message)", cause: error)
        }
        return settings
    }
}

extension AssistantSettings {
    /// The settings of a chat.
    ///
    /// - Parameter memory: the bytes of memory, which decide how many messages the model reads unless the user has; nil
    ///   for what this process may use.
    /// - Returns: the settings.
    package func chat(memory: UInt64? = nil) -> ChatSettings {
        let memory = memory ?? UInt64(clamping: MachineMemory.current().physical)
        var chat = ChatSettings()
        chat.historyWindow = historyWindow ?? ChatSettings.historyWindow(memory: memory)
        chat.answerTokens = answerTokens ?? chat.answerTokens
        chat.thinkingTokens = thinkingTokens ?? chat.thinkingTokens
        chat.deadline = deadlineSeconds.map { .seconds($0) } ?? chat.deadline
        chat.enrichesNotes = enrichesNotes
        chat.sampling.temperature = temperature
        return chat
    }

    /// What the actions may do: the policy, and nothing of what is denied by its short name.
    package var limits: ActionRunner.Settings {
        var limits = ActionRunner.Settings()
        limits.policy = policy
        for tag in denied.compactMap(ActionTag.init(toolName:)) { limits.policy.set(tag, .deny) }
        return limits
    }

    /// The tools of servers that are never used, as `SERVER.TOOL`.
    package var deniedTools: Set<String> { Set(denied.filter { $0.contains(".") }) }
}
