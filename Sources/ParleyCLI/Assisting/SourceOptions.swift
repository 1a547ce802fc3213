// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCommandLine

/// What the assistant reads and writes, and whom it asks.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Search the web: brave (with a key in BRAVE_API_KEY), or searxng=URL.", valueName: "engine"))
    var search: String?

    @Option(
        name: .customLong("attach"),
        help: ArgumentHelp(
            "A file for the first message: text, Markdown, HTML, PDF or an image; may be given several times.",
            valueName: "file"), completion: .file())
    var attached: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file that names servers of the Model Context Protocol. (default: mcp.json in $PARLEY_HOME)",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var mcp: String?

    @Option(
        help: ArgumentHelp("The folder of the notes; a vault of Obsidian works as it is.", valueName: "folder"),
        completion: .directory)
    var notes: String?

    @Option(
        help: ArgumentHelp("The folder of the calendars: a folder of .ics files for each.", valueName: "folder"),
        completion: .directory)
    var calendars: String?

    @Option(
        help: ArgumentHelp("The folder of the address books: folders of .vcf files.", valueName: "folder"),
        completion: .directory)
    var contacts: String?

    mutating func validate() throws {
        guard let search else { return }
        do {
            _ = try SearchEngine(search)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The settings, of which the options take the place.
    ///
    /// - Throws: ``CommandError`` or `AssistantError` if an option names what is not there.
    func settings(over kept: AssistantSettings) throws -> AssistantSettings {
        var settings = kept
        if let search { settings.search = try SearchEngine(search) }
        if let notes { settings.notes = AssistantSettings.folder(notes) }
        if let calendars { settings.calendars = AssistantSettings.folder(calendars) }
        if let contacts { settings.contacts = AssistantSettings.folder(contacts) }
        for (name, folder) in [
            ("notes", settings.notes), ("calendars", settings.calendars), ("contacts", settings.contacts),
        ] {
            guard let folder else { continue }
            var isFolder: ObjCBool = false
            // A folder that is misspelt must not become a new one.
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw CommandError("There is no folder \(folder.path) for the \(name). Create it, or name another.")
            }
        }
        return settings
    }
}
