// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyFiles
import ParleyJSON

/// What the user has set up for the assistant in `$PARLEY_HOME/settings.json`; options of the command line come first.
///
///     {"search": "searxng=http://localhost:8888", "notes": "~/Vault", "calendars": "~/Calendars",
///      "contacts": "~/Contacts", "deny": ["web", "files.write_file"], "enrich": true}
package struct AssistantSettings: Hashable, Sendable {
    /// The name of the file.
    package static let fileName = "settings.json"

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
    /// Members that mean nothing here, perhaps because they are misspelt.
    package var unknown: [String] = []

    /// Settings of which none is made.
    package init() {}

    /// Reads the file in a directory; without one, no setting is made.
    ///
    /// - Throws: ``CommandError`` that names the file and the member.
    package init(in directory: URL) throws {
        let data: Data
        do {
            data = try WholeFile.contents(of: directory.appending(path: Self.fileName), limit: 1 << 20)
        } catch {
            guard error.code == .notFound else {
                throw CommandError("\(Self.fileName) cannot be read: \(error.message)", cause: error)
            }
            self.init()
            return
        }
        try self.init(parsing: data)
    }

    /// Reads the bytes of a file.
    ///
    /// - Throws: ``CommandError`` that names the member.
    package init(parsing data: Data) throws {
        self.init()
        let json: JSONValue
        do {
            json = try JSONValue(parsing: data, limits: JSONLimits(depth: 8, bytes: 1 << 20))
        } catch {
            throw CommandError("\(Self.fileName) is not valid JSON: \(error)", cause: error)
        }
        guard let members = json.object else { throw CommandError("\(Self.fileName) must hold an object: {…}.") }
        for (name, value) in members where !value.isNull {
            switch name {
            case "search": search = try SearchEngine(Self.text(value, name))
            case "notes": notes = Self.folder(try Self.text(value, name))
            case "calendars": calendars = Self.folder(try Self.text(value, name))
            case "contacts": contacts = Self.folder(try Self.text(value, name))
            case "deny":
                guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
                    throw CommandError("\(Self.fileName): deny must be a list of texts, such as [\"web\"].")
                }
                denied = list.compactMap(\.string)
            case "enrich":
                guard let isOn = value.bool else {
                    throw CommandError("\(Self.fileName): enrich must be true or false.")
                }
                enrichesNotes = isOn
            default: unknown.append(name)
            }
        }
    }

    private static func text(_ value: JSONValue, _ name: String) throws -> String {
        guard let text = value.string, !text.isEmpty else {
            throw CommandError("\(fileName): \(name) must be a text.")
        }
        return text
    }

    /// The folder at a path, in which `~` is the user's home.
    static func folder(_ path: String) -> URL {
        URL(filePath: NSString(string: path).expandingTildeInPath, directoryHint: .isDirectory)
    }
}
