// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An item that was changed here and on the server.
package struct SyncConflict: Hashable, Sendable {
    /// What happened here, while the item was changed or deleted there.
    package enum Kind: Hashable, Sendable {
        /// Both sides changed it; the server's content is in the folder.
        case changed
        /// It was changed here and deleted there.
        case deletedThere
        /// It was deleted here and changed there; it is in the folder again.
        case deletedHere
    }

    /// The item: folder and file.
    package var item: String
    /// What happened.
    package var kind: Kind
    /// The file with what was here; nil if it was deleted here.
    package var kept: URL?

    /// What happened, in a sentence.
    package var text: String {
        switch kind {
        case .changed:
            "\(item) was changed here and on the server. The server's version is kept; yours is \(keptPath)."
        case .deletedThere:
            "\(item) was changed here and deleted on the server. It is deleted here too; your version is \(keptPath)."
        case .deletedHere: "\(item) was deleted here and changed on the server. It is there again."
        }
    }

    private var keptPath: String { kept?.path ?? "gone" }
}

/// What a synchronisation of a collection did.
package struct CollectionReport: Hashable, Sendable {
    /// The folder.
    package var folder: String
    /// The numbers of items that were written here, deleted here, written there and deleted there.
    package var (received, removed, sent, deleted) = (0, 0, 0, 0)
    /// The items that were changed on both sides.
    package var conflicts: [SyncConflict] = []
    /// What is here and not on the server, and why.
    package var unsent: [String] = []
    /// What else the user should know.
    package var notices: [String] = []
    /// Why the synchronisation did not come to its end; nil if it did.
    package var problem: String?
    /// Whether the server could not be reached.
    package var isOffline = false

    /// Creates a report of a collection in which nothing was done.
    package init(folder: String) { self.folder = folder }

    /// Whether items were written or deleted on either side.
    package var hasChanges: Bool { received + removed + sent + deleted > 0 }
}
