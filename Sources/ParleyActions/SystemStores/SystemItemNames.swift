// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyFiles

/// Which item of a store is which record of the system's database.
///
/// A change names its item before the record exists, and a record that is deleted and brought back gets another
/// identifier from the system, while the log goes on to use the first name. The file has one entry for each item that
/// Parley created or brought back; the path of any other item is its identifier.
package struct SystemItemNames: Sendable {
    private let file: URL
    /// The identifiers of the paths that are not made of them.
    private var identifiers: [String: String]?

    /// Names that are kept in a file, which is created with the first entry.
    package init(file: URL) { self.file = file }

    /// The identifier of the record at a path.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package mutating func identifier(of path: String) throws(AssistantError) -> String {
        if let identifier = try known()[path] { return identifier }
        return path.replacing("%2F", with: "/").replacing("%40", with: "@").replacing("%25", with: "%")
    }

    /// The path of the record with an identifier.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package mutating func path(of identifier: String) throws(AssistantError) -> String {
        if let entry = try known().first(where: { $0.value == identifier }) { return entry.key }
        return identifier.replacing("%", with: "%25").replacing("/", with: "%2F").replacing("@", with: "%40")
    }

    /// Gives the record with an identifier a path, in place of an earlier record.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`; then the names are as before.
    package mutating func keep(_ identifier: String, at path: String) throws(AssistantError) {
        var new = try known()
        new[path] = identifier
        do {
            try FilePlace.create(file.deletingLastPathComponent())
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try WholeFile.write(try encoder.encode(new), to: file)
        } catch {
            throw AssistantError(.storeUnavailable, "The names of items are not kept: \(error)", cause: error)
        }
        identifiers = new
    }

    private mutating func known() throws(AssistantError) -> [String: String] {
        if let identifiers { return identifiers }
        do {
            let read = try JSONDecoder().decode(
                [String: String].self, from: WholeFile.contents(of: file, limit: 64 << 20))
            identifiers = read
            return read
        } catch {
            guard let error = error as? FileError, error.code == .notFound else {
                throw AssistantError(
                    .storeUnavailable, "\(file.path) cannot be read; without it, items cannot be told apart.",
                    cause: error)
            }
            identifiers = [:]
            return [:]
        }
    }
}

/// The path of an item of the system's calendar: a whole event, or one date of a series after an `@`.
package struct SystemItemPath: Hashable, Sendable {
    /// The name of the event or the series, as in ``SystemItemNames``.
    package var name: String
    /// The original start of the date, a day or a time in UTC, as in iCalendar; nil for the whole.
    package var date: String?

    /// Creates a path.
    package init(name: String, date: String? = nil) { (self.name, self.date) = (name, date) }

    /// Reads a path; nil unless it ends in `.ics`.
    package init?(_ path: String) {
        guard path.hasSuffix(".ics"), path.count > 4 else { return nil }
        let parts = path.dropLast(4).split(separator: "@", maxSplits: 1)
        guard let first = parts.first else { return nil }
        self.init(name: String(first), date: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// The path of the item with which a change is concerned.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` for the item of another store, or for two.
    package init(of change: Change<StoreItem>, in store: String) throws(AssistantError) {
        guard let id = change.itemID, (change.before?.id ?? id) == id, id.store == store,
            let path = SystemItemPath(id.path)
        else { throw AssistantError(.invalidInput, "A change concerns one item of \(store).") }
        self = path
    }

    /// The name with the date: what ``SystemItemNames`` knows a date by that was brought back as an event of its own.
    package var stem: String { date.map { "\(name)@\($0)" } ?? name }

    /// The path.
    package var text: String { stem + ".ics" }
}
