// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a ``ChatStore`` has to tell beside the results of its calls.
public enum ChatNotice: Hashable, Sendable {
    /// A file was damaged; it is kept under the second path, and no longer used.
    case damaged(file: String, keptAs: String)
    /// A chat cannot be read now, or by this Parley, for the given reason. It is told once.
    case unreadable(UUID, reason: String)
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

    /// What the user should hear of it, in English; nil where a call tells it by its error, or nothing is lost.
    package var remark: String? {
        switch self {
        case .damaged(let file, let kept): "\(file) is damaged. It is kept as \(kept), and no longer used."
        case .unreadable(let id, let reason): "The chat \(id.uuidString.prefix(8)) cannot be read. \(reason)"
        case .indexRebuilt, .merged, .deletedElsewhere, .notSaved, .migrated: nil
        }
    }
}
