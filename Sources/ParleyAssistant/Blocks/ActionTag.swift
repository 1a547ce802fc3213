// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The kind of action that a model may request, named by the word that begins the block: `[CALENDAR_ACTION:{…}]`.
public enum ActionTag: String, CaseIterable, Hashable, Sendable, Codable {
    case webSearch = "WEB_SEARCH"
    case calendar = "CALENDAR_ACTION"
    case note = "NOTE_ACTION"
    case contacts = "CONTACTS_SEARCH"
    case habit = "HABIT_ACTION"
    case reminder = "REMINDER_ACTION"
    /// A call of an ``AssistantTool``. There is no block for it, only functions.
    case tool = "TOOL"

    /// The kinds that a model may request with a block: all but ``tool``.
    public static let allCases: [ActionTag] = [.webSearch, .calendar, .note, .contacts, .habit, .reminder]

    /// The names with which blocks of the tag may begin; `REMINDER` is accepted as an alternative.
    var names: [String] { self == .reminder ? [rawValue, "REMINDER"] : [rawValue] }

    /// The name of the function that replaces the tag for models trained for function calls, such as `calendar_action`.
    public var functionName: String { rawValue.lowercased() }

    /// The tag of the function with a name; nil if there is none.
    public init?(functionName: String) {
        guard let tag = Self.allCases.first(where: { $0.functionName == functionName }) else { return nil }
        self = tag
    }

    /// The short name of the tag, for people: on the command line and in settings.
    package var toolName: String {
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
    package init?(toolName: String) {
        guard let tag = (Self.allCases + [.tool]).first(where: { $0.toolName == toolName.lowercased() }) else {
            return nil
        }
        self = tag
    }

    /// The bytes with which blocks begin, from `[` to `:`, and their tags.
    static let openings: [(bytes: [UInt8], tag: ActionTag)] = allCases.flatMap { tag in
        tag.names.map { (Array("[\($0):".utf8), tag) }
    }

    /// The bytes with which a block begins of which the model forgot the brackets, from the name to `{`, and their tags.
    static let bareOpenings: [(bytes: [UInt8], tag: ActionTag)] = allCases.flatMap { tag in
        tag.names.map { (Array("\($0):{".utf8), tag) }
    }

    /// Changes a text so that it contains no beginning of a block, by replacing the bracket with a parenthesis, and
    /// nothing that a model would read and a person not see: controls, and marks that show nothing.
    ///
    /// Text from the web, a file or a note is changed in this way before a model reads it, so that the model cannot
    /// copy a block from it into its reply.
    public static func defusing(_ text: String) -> String {
        // Bytes are compared, as the scanner does: a character may join a bracket with what is before or after it.
        var result = Array(PlainText.clean(text).utf8)
        for index in result.indices where result[index] == UInt8(ascii: "[") {
            if openings.contains(where: { result[index...].starts(with: $0.bytes) }) {
                result[index] = UInt8(ascii: "(")
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
