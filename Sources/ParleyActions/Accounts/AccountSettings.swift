// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyFiles

/// The accounts of the user, and in which of their collections new items are created: the file `accounts.json`.
package struct AccountSettings: Hashable, Sendable, Codable {
    /// The accounts.
    package var accounts: [Account] = []
    /// The folder of calendars in which new events are created; nil for the one that is on this machine alone.
    package var newEvents: String?
    /// The folder of calendars in which new reminders are created; nil for the one that is on this machine alone.
    package var newReminders: String?

    private enum CodingKeys: String, CodingKey {
        case accounts
        case newEvents = "new_events"
        case newReminders = "new_reminders"
    }

    /// Creates settings without accounts.
    package init() {}

    /// Reads settings; a file that does not exist has none.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` for a file that cannot be understood, or `storeUnavailable`.
    package init(at file: URL) throws(AssistantError) {
        self.init()
        let data: Data
        do {
            data = try WholeFile.contents(of: file, limit: 1 << 20)
        } catch {
            if error.code == .notFound { return }
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch let error as AssistantError {
            throw AssistantError(.invalidInput, "\(file.path): \(error.message)")
        } catch {
            // The cause would say what is in the file.
            throw AssistantError(.invalidInput, "\(file.path) is not the JSON of accounts; mend it or remove it.")
        }
        for folder in [newEvents, newReminders].compactMap({ $0 }) where FileName.fault(in: folder) != nil {
            throw AssistantError(.invalidInput, "\(file.path) names a folder that cannot be used.")
        }
        guard Set(accounts.map { FileName.key($0.name) }).count == accounts.count else {
            throw AssistantError(.invalidInput, "\(file.path) has two accounts of one name.")
        }
    }

    /// Changes the settings of a file: reads them anew, and writes the whole file, readable by the user alone.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - change: what is changed.
    /// - Returns: the settings as they are now.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, also while another process writes them, or
    ///   `invalidInput` for a file that cannot be understood, which stays as it is; what `change` throws.
    @discardableResult
    package static func change(at file: URL, _ change: (inout Self) throws -> Void) throws -> Self {
        do {
            let (folder, name) = (file.deletingLastPathComponent(), file.lastPathComponent)
            try FilePlace.create(folder)
            let lock = try FileLock.take(.exclusive, at: folder.appending(path: ".\(name).lock"))
            defer { withExtendedLifetime(lock) {} }
            guard lock != nil else {
                throw AssistantError(.storeUnavailable, "Another program is changing \(name); try again.")
            }
            var settings = try Self(at: file)
            try change(&settings)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try WholeFile.write(try encoder.encode(settings) + Data("\n".utf8), to: file)
            return settings
        } catch let error as FileError {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }
}
