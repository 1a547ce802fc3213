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

    /// Writes the settings, readable by the user alone.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package func write(to file: URL) throws(AssistantError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try WholeFile.write(try encoder.encode(self) + Data("\n".utf8), to: file)
        } catch {
            throw AssistantError(.storeUnavailable, "Cannot write \(file.path).", cause: error)
        }
    }
}
