// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

/// The journals of the replies that this process generates, each of one chat.
struct OpenJournals {
    private var journals: [UUID: (file: JournalFile, content: ReplyJournal)] = [:]

    /// The file of a chat's journal; nil if none is open.
    func file(of chat: UUID) -> URL? { journals[chat]?.file.url }

    /// Opens a journal for a chat that has none; it is used under the folder's lock.
    ///
    /// - Throws: ``AssistantError``.
    mutating func open(_ chat: UUID, in folder: ChatFolder) throws(AssistantError) {
        guard journals[chat] == nil else { return }
        do {
            for file in folder.journals(chat) {
                guard let journal = try JournalFile(file, creating: true) else { continue }
                // One that was left behind has been folded in, or the chat was not used yet: fold it first.
                if journal.size > 0 { continue }
                journals[chat] = (journal, ReplyJournal())
                return
            }
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// Writes how far a reply has come, if there is something new and its chat has a journal.
    ///
    /// - Throws: ``AssistantError``.
    mutating func append(_ reply: ChatNode, in chat: UUID) throws(AssistantError) {
        guard let journal = journals[chat], reply.state.isUnfinished else { return }
        var content = journal.content
        guard let line = content.line(for: reply) else { return }
        guard journal.file.size + line.utf8.count <= ReplyJournal.limit else {
            throw AssistantError(.tooLarge, "A reply has grown too large to be kept while it is generated.")
        }
        do {
            try journal.file.append(line)
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
        journals[chat] = (journal.file, content)
    }

    /// Closes the journal of a chat.
    ///
    /// - Returns: its file; nil if none was open.
    @discardableResult
    mutating func close(_ chat: UUID) -> URL? { journals.removeValue(forKey: chat)?.file.url }
}
