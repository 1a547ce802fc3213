// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyConversation
import ParleyFiles

/// A file that was uploaded for a chat.
package struct StoredAttachment: Hashable, Sendable, Identifiable {
    /// Names the attachment: the chat's id, and the beginning of the content's digest.
    package let id: String
    /// The chat.
    package let chat: UUID
    /// The name of the file, which is safe on every system.
    package let name: String
    /// What it is, by its content.
    package let kind: FileKind
    /// The number of its bytes.
    package let size: Int
    /// Where it is.
    package let url: URL
}

/// The folder of files that were uploaded for chats: `CHAT/DIGEST/NAME`.
///
/// A file is there once for a chat, however often it comes. Files of chats that are deleted for good, and those that no
/// message has referred to for a day, are removed by ``sweep(in:at:)``.
package actor AttachmentStore {
    /// The limits of a store.
    package struct Limits: Hashable, Sendable {
        /// The largest size of a file in bytes.
        package var file = 32 << 20
        /// The largest size of all files together in bytes.
        package var total = 1 << 30
        /// The largest number of files.
        package var count = 10_000

        /// Creates the usual limits.
        package init() {}
    }

    /// How long a file is kept to which no message refers, and how long a chat that is not saved has its files.
    private static let patience: TimeInterval = 86_400

    private let folder: URL
    private let limits: Limits

    /// Creates a store over a folder, which is made when the first file comes.
    package init(_ folder: URL, limits: Limits = Limits()) { (self.folder, self.limits) = (folder, limits) }

    /// The id that a content has, or would have, in a chat.
    package static func id(of content: Data, in chat: UUID) -> String {
        "\(chat.uuidString)-\(digest(content))"
    }

    /// The id of an attachment of a chat; nil for a document that lies elsewhere.
    package static func id(of attachment: ChatViewState.Attachment, in chat: UUID) -> String? {
        switch attachment.kind {
        case .image: return attachment.digest.map { "\(chat.uuidString)-\($0.prefix(16))" }
        case .document:
            // CHAT/DIGEST/NAME
            let parts = attachment.place?.split(separator: "/").suffix(3).map(String.init) ?? []
            guard parts.count == 3, parts[0] == chat.uuidString else { return nil }
            let id = "\(chat.uuidString)-\(parts[1])"
            return Self.parts(id) == nil ? nil : id
        }
    }

    /// Whether a message of a chat, in any version, has an attachment.
    package static func refers(_ chat: Chat, to id: String) -> Bool { references(of: chat, in: chat.id).contains(id) }

    private static func digest(_ content: Data) -> String { String(SHA256Hash.hexadecimal(of: content).prefix(16)) }

    // MARK: Files

    /// Keeps a file.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - name: its name, as whoever uploads it says.
    ///   - chat: the chat.
    /// - Returns: the attachment.
    /// - Throws: ``AssistantError`` with code `invalidInput` for bytes that are no image, PDF or text, `tooLarge`, also for
    ///   an image of too many pixels, or `storeUnavailable`.
    package func add(_ content: Data, named name: String, to chat: UUID) throws(AssistantError) -> StoredAttachment {
        guard content.count <= limits.file else {
            throw AssistantError(.tooLarge, "The file is larger than \(limits.file >> 20) MiB.")
        }
        guard !content.isEmpty, let kind = FileKind(content) else {
            throw AssistantError(
                .invalidInput, "The file has nothing that can be read; JPEG, PNG, PDF and text can be attached.")
        }
        if kind.isImage { try ChatAttachment.check(image: content) }
        let id = Self.id(of: content, in: chat)
        if let known = attachment(id) { return known }
        let all = all()
        guard all.count < limits.count, all.reduce(content.count, { $0 + $1.size }) <= limits.total else {
            throw AssistantError(
                .tooLarge,
                "The attachments of all chats would take more than \(limits.total >> 20) MiB; delete chats that have some."
            )
        }
        let place = place(chat, Self.digest(content))
        let safe = SafeFileName.name(for: name, otherwise: "file")
        let url = place.appending(path: safe, directoryHint: .notDirectory)
        do {
            try FilePlace.create(place, mode: 0o700)
            try WholeFile.write(content, to: url)
        } catch {
            throw AssistantError(.storeUnavailable, "The attachment cannot be kept: \(error)", cause: error)
        }
        return StoredAttachment(
            id: id, chat: chat, name: url.lastPathComponent, kind: kind, size: content.count, url: url)
    }

    /// The attachment with an id; nil if there is none.
    package func attachment(_ id: String) -> StoredAttachment? {
        guard let (chat, digest) = Self.parts(id) else { return nil }
        return attachment(chat, digest)
    }

    /// The bytes of an attachment.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `storeUnavailable`.
    package func content(of id: String) throws(AssistantError) -> Data {
        guard let attachment = attachment(id) else {
            throw AssistantError(.itemNotFound, "There is no such attachment.")
        }
        do {
            return try WholeFile.contents(of: attachment.url, limit: limits.file)
        } catch {
            throw AssistantError(.storeUnavailable, "The attachment cannot be read: \(error.message)", cause: error)
        }
    }

    /// What a chat attaches to a message: the image itself, or the file whose text the model reads.
    ///
    /// - Throws: ``AssistantError``, as ``content(of:)``.
    package func chatAttachment(_ id: String) throws(AssistantError) -> ChatAttachment {
        guard let attachment = attachment(id) else {
            throw AssistantError(.itemNotFound, "There is no such attachment.")
        }
        return attachment.kind.isImage ? .image(try content(of: id)) : .document(attachment.url)
    }

    /// Removes an attachment that is not sent after all; nothing happens if it is not there.
    package func remove(_ id: String) {
        guard let (chat, digest) = Self.parts(id) else { return }
        remove(chat, digest)
    }

    // MARK: Removing

    /// Removes the files of chats that can no longer be brought back, and those that no message of their chat refers to.
    /// Those of a chat stay of which a damaged file was moved aside.
    ///
    /// - Parameters:
    ///   - history: the chats.
    ///   - now: the time.
    /// - Returns: how many were removed.
    /// - Throws: ``AssistantError`` if a chat cannot be read, after the others; nothing of that chat is removed then.
    @discardableResult
    package func sweep(in history: ChatStore, at now: Date = Date()) async throws -> Int {
        var count = 0
        var failure: (any Error)?
        for (chat, files) in Dictionary(grouping: all(), by: \.chat) {
            if !history.contains(chat), history.canRestore(chat) { continue }
            let references: Set<String>
            do {
                let kept = try await history.chat(chat)
                // What a damaged chat refers to is not known.
                if kept == nil, try history.isSetAside(chat) { continue }
                references = kept.map { Self.references(of: $0, in: chat) } ?? []
            } catch {
                failure = error
                continue
            }
            for file in files where !references.contains(file.id) {
                let changed = try? file.url.resourceValues(forKeys: [.contentModificationDateKey])
                guard let date = changed?.contentModificationDate, now.timeIntervalSince(date) > Self.patience else {
                    continue
                }
                remove(file.id)
                count += 1
            }
        }
        if let failure { throw failure }
        return count
    }

    /// The ids of the attachments that the messages of a chat have, all versions included.
    private static func references(of kept: Chat, in chat: UUID) -> Set<String> {
        var ids: Set<String> = []
        for attachment in kept.nodes.flatMap({ ChatItem($0).attachments }) {
            switch attachment {
            case .image(let content): ids.insert(id(of: content, in: chat))
            case .document(let url):
                ids.insert("\(chat.uuidString)-\(url.deletingLastPathComponent().lastPathComponent)")
            }
        }
        return ids
    }

    private func remove(_ chat: UUID, _ digest: String) {
        try? FileManager.default.removeItem(at: place(chat, digest))
        // The folder of the chat goes with its last file; one that has others stays.
        rmdir(place(chat).path)
    }

    // MARK: Places

    private func place(_ chat: UUID) -> URL { folder.appending(path: chat.uuidString, directoryHint: .isDirectory) }

    private func place(_ chat: UUID, _ digest: String) -> URL {
        place(chat).appending(path: digest, directoryHint: .isDirectory)
    }

    /// The chat and the digest of an id, which comes from outside; nil if it is none.
    private static func parts(_ id: String) -> (chat: UUID, digest: String)? {
        guard id.utf8.count == 53, let chat = UUID(uuidString: String(id.prefix(36))),
            id.hasPrefix(chat.uuidString + "-")
        else { return nil }
        let digest = id.suffix(16)
        guard digest.allSatisfy({ $0.isASCII && ($0.isNumber || ("a"..."f").contains($0)) }) else { return nil }
        return (chat, String(digest))
    }

    private func attachment(_ chat: UUID, _ digest: String) -> StoredAttachment? {
        let place = place(chat, digest)
        let names = (try? FilePlace.names(in: place, limit: 100)) ?? []
        guard let name = names.filter({ !$0.hasPrefix(".") }).min() else { return nil }
        let url = place.appending(path: name, directoryHint: .notDirectory)
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        guard let start = try? handle.read(upToCount: 8_192), let kind = FileKind(start),
            let size = try? handle.seekToEnd()
        else { return nil }
        return StoredAttachment(
            id: "\(chat.uuidString)-\(digest)", chat: chat, name: name, kind: kind, size: Int(size), url: url)
    }

    private func all() -> [StoredAttachment] {
        let chats = ((try? FilePlace.names(in: folder, limit: 100_000)) ?? []).compactMap(UUID.init(uuidString:))
        return chats.flatMap { chat in
            ((try? FilePlace.names(in: place(chat), limit: 100_000)) ?? []).compactMap { attachment(chat, $0) }
        }
    }
}
