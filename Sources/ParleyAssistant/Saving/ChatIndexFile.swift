// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON

/// The file of the list of chats, which is read again only if it has changed. It is used under the folder's lock.
struct ChatIndexFile {
    /// What is in the file.
    enum Content {
        case index(ChatIndex)
        /// There is no file.
        case none
        case damaged
    }

    private let folder: ChatFolder
    private var last: (value: ChatIndex, stamp: FileStamp)?

    init(_ folder: ChatFolder) { self.folder = folder }

    /// Reads the list.
    ///
    /// - Throws: ``AssistantError``.
    mutating func read() throws(AssistantError) -> Content {
        guard let stamp = try FileStamp(folder.index) else { return .none }
        if let last, last.stamp == stamp { return .index(last.value) }
        guard let data = try folder.contents(folder.index) else { return .none }
        guard let value = (try? JSONValue(parsing: data)).flatMap(ChatIndex.init(json:)) else { return .damaged }
        last = (value, stamp)
        return .index(value)
    }

    /// Writes the list.
    ///
    /// - Throws: ``AssistantError``.
    mutating func write(_ index: ChatIndex) throws(AssistantError) {
        try folder.write(index.json, to: folder.index)
        last = try FileStamp(folder.index).map { (index, $0) }
    }
}
