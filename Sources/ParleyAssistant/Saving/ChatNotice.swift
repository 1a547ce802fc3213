// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a ``ChatStore`` has to tell beside the results of its calls.
public enum ChatNotice: Hashable, Sendable {
    /// A file was damaged; it is kept under the second path, and no longer used.
    case damaged(file: String, keptAs: String)
    /// The list of chats was missing or damaged, and was made again from the chats.
    case indexRebuilt
    /// Another process has edited a chat too; the messages of both are in it.
    case merged(UUID)
    /// A chat that is to be saved has been deleted by another process. It was not written.
    case deletedElsewhere(UUID)
    /// A chat could not be saved, for the given reason.
    case notSaved(UUID, reason: String)
    /// The history of an earlier version was taken over as a chat.
    case migrated(UUID)
}
