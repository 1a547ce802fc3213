// SPDX-License-Identifier: Apache-2.0

/// The kinds of action that a model may ask for in its reply, by the word that begins the block: `[CALENDAR_ACTION:{…}]`.
public enum ActionTag: String, CaseIterable, Hashable, Sendable {
    case webSearch = "WEB_SEARCH"
    case calendar = "CALENDAR_ACTION"
    case note = "NOTE_ACTION"
    case contacts = "CONTACTS_SEARCH"
    case habit = "HABIT_ACTION"
    case reminder = "REMINDER_ACTION"

    /// The names under which blocks of the tag are known; `REMINDER` is taken as well.
    var names: [String] { self == .reminder ? [rawValue, "REMINDER"] : [rawValue] }

    /// The name of the function that stands for the tag with models trained for function calls: `calendar_action`.
    public var functionName: String { rawValue.lowercased() }

    /// The tag of a function of that name, or nil.
    public init?(functionName: String) {
        guard let tag = Self.allCases.first(where: { $0.functionName == functionName }) else { return nil }
        self = tag
    }

    /// What each block begins with, `[` to `:`, and the tag that it means.
    static let openings: [(bytes: [UInt8], tag: ActionTag)] = allCases.flatMap { tag in
        tag.names.map { (Array("[\($0):".utf8), tag) }
    }

    /// A text in which nothing begins a block: the bracket of each opening is a parenthesis.
    ///
    /// What comes from the web, a file or a note goes through this before a model reads it, so that it cannot be copied
    /// into a reply as a block.
    public static func defusing(_ text: String) -> String {
        var result = text
        for (bytes, _) in openings {
            let opening = String(decoding: bytes, as: UTF8.self)
            result = result.replacing(opening, with: "(" + opening.dropFirst())
        }
        return result
    }
}
