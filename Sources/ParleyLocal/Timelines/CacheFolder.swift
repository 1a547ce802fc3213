// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation

/// A folder in which the caches of conversations outlast the process, so that a resumed conversation need not be read
/// again.
///
/// Each conversation has a file there, named by its id, which is written when the conversation has ended or the model is
/// unloaded, and read with the first reply of a conversation with that id. It contains the tokens of the conversation
/// and what the model has computed of them, and is as confidential as the conversation: only the user may read it. It
/// is large: 94 MB for 4,096 tokens of SmolLM2-135M. Files of other models or versions and damaged files are ignored,
/// and the prompt is read as usual; no token depends on whether there was a file.
///
/// Whoever deletes a conversation removes its file, by ``file(of:)``. Engines that cannot copy their cache write none.
public struct CacheFolder: Sendable {
    /// The usual limit of all files together: 2 GiB.
    public static let usualLimit = 2 << 30

    /// The folder, which is made when the first file is written.
    public var directory: URL
    /// The largest size of all files together, in bytes; the files that were used least recently are removed first.
    public var limit: Int
    /// Whether the cache of a conversation may be kept; asked on any thread, just before its file is written.
    public var keeps: @Sendable (ConversationID) -> Bool

    /// Creates a description of a folder.
    ///
    /// - Parameters:
    ///   - directory: the folder, which has no other use.
    ///   - limit: the largest size of all files together, in bytes.
    ///   - keeps: whether the cache of a conversation may be kept; all may by default.
    public init(
        _ directory: URL, limit: Int = CacheFolder.usualLimit,
        keeps: @escaping @Sendable (ConversationID) -> Bool = { _ in true }
    ) {
        self.directory = directory
        self.limit = limit
        self.keeps = keeps
    }

    /// The file of a conversation.
    public func file(of id: ConversationID) -> URL {
        directory.appending(path: id.description, directoryHint: .notDirectory)
    }
}
