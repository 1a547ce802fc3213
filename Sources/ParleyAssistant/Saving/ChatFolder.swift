// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyJSON

/// The files of chats: their names, reading and writing them. Who writes holds the folder's lock.
///
/// `index.json` is the list, `ID.json` a chat, `ID.journal` (or `ID-2.journal` and so on, for further processes) a reply
/// that is being generated, `deleted/ID.json` a chat whose deletion can be undone. Names that contain `.damaged-` belong
/// to files that could not be read, and such with `.earlier-` to chats that were deleted twice.
struct ChatFolder: Sendable {
    /// The maximum size of a chat's file, images included, and of the list.
    static let limit = 128 << 20
    /// The maximum number of writers of one chat at the same time.
    static let mostJournals = 9

    let url: URL
    /// The folder of what models have computed of chats: files named by the chats' ids. Nil if there is none.
    var caches: URL?
    /// How long other programs are waited for.
    var patience = Duration.seconds(20)

    var index: URL { url.appending(path: "index.json", directoryHint: .notDirectory) }
    var deletedFolder: URL { url.appending(path: "deleted", directoryHint: .isDirectory) }

    func file(_ id: UUID) -> URL { url.appending(path: "\(id.uuidString).json", directoryHint: .notDirectory) }

    func deleted(_ id: UUID) -> URL {
        deletedFolder.appending(path: "\(id.uuidString).json", directoryHint: .notDirectory)
    }

    /// The possible journals of a chat.
    func journals(_ id: UUID) -> [URL] {
        (1...Self.mostJournals).map { number in
            let name = number == 1 ? "\(id.uuidString).journal" : "\(id.uuidString)-\(number).journal"
            return url.appending(path: name, directoryHint: .notDirectory)
        }
    }

    /// The chats and the journals that are there.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func list() throws(AssistantError) -> (chats: Set<UUID>, journals: [(chat: UUID, file: URL)]) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw AssistantError(.storeUnavailable, "Cannot list the folder \(url.path).", cause: error)
        }
        var chats: Set<UUID> = []
        var journals: [(UUID, URL)] = []
        for name in names where name.utf8.count >= 41 {
            guard let id = UUID(uuidString: String(name.prefix(36))), name.hasPrefix(id.uuidString) else { continue }
            let rest = name.dropFirst(36)
            if rest == ".json" {
                chats.insert(id)
            } else if rest.hasSuffix(".journal") {
                journals.append((id, url.appending(path: name, directoryHint: .notDirectory)))
            }
        }
        return (chats, journals)
    }

    // MARK: - Reading and writing

    /// Reads a chat; nil if it is not there.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem` for a damaged file; `refused`; `storeUnavailable`.
    func chat(at file: URL) throws(AssistantError) -> Chat? {
        guard let data = try contents(file) else { return nil }
        return try chat(in: data, of: file)
    }

    /// The chat that a file contains.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem` or `refused`.
    func chat(in data: Data, of file: URL) throws(AssistantError) -> Chat {
        do {
            return try Chat(saved: JSONValue(parsing: data))
        } catch let error as AssistantError {
            throw error
        } catch {
            throw AssistantError(.invalidItem, "The chat \(file.path) is damaged: \(error)", cause: error)
        }
    }

    /// The content of a file; nil if it is not there.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem` if it is no file or too large; `storeUnavailable`.
    func contents(_ file: URL) throws(AssistantError) -> Data? {
        try WholeFile.stored(at: file, limit: Self.limit)
    }

    /// How often a chat has been saved, by the beginning of its file; nil if it cannot be told.
    func generation(_ id: UUID) -> Int? {
        guard let file = try? FileHandle(forReadingFrom: file(id)), let data = try? file.read(upToCount: 160),
            let (_, rest) = String(decoding: data, as: UTF8.self).split(#""generation":"#)
        else { return nil }
        return Int(rest.prefix { ("0"..."9").contains($0) })
    }

    /// Writes a file as a whole, readable by the user alone.
    ///
    /// - Throws: ``AssistantError`` with code `tooLarge` or `storeUnavailable`.
    func write(_ value: JSONValue, to file: URL) throws(AssistantError) {
        let data = Data(value.text().utf8)
        guard data.count <= Self.limit else {
            throw AssistantError(
                .tooLarge, "The chat would have more than \(Self.limit >> 20) MiB; begin another one.")
        }
        do {
            try WholeFile.write(data, to: file)
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// Renames a file; never in place of another one.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, also if there is a file of that name.
    func move(_ file: URL, to other: URL) throws(AssistantError) {
        do {
            try WholeFile.move(file, to: other, replacing: .forbidden)
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// Gives a file a name of its own, which begins with its name and a word.
    ///
    /// - Returns: the new name.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    @discardableResult
    func move(_ file: URL, aside word: String) throws(AssistantError) -> URL {
        let name = "\(file.lastPathComponent).\(word)-\(UUID().uuidString.prefix(8))"
        let other = file.deletingLastPathComponent().appending(path: name, directoryHint: .notDirectory)
        try move(file, to: other)
        return other
    }

    /// Puts a chat among the deleted ones. An earlier deleted copy of it is kept under another name: what is deleted
    /// now need not contain it.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func delete(_ id: UUID) throws(AssistantError) {
        let (file, place) = (file(id), deleted(id))
        guard try FileStamp(file) != nil else { return }
        if try FileStamp(place) != nil { try move(place, aside: "earlier") }
        try move(file, to: place)
    }

    func remove(_ file: URL) { unlink(file.path) }

    /// Removes the deleted chats that can no longer be brought back.
    func emptyDeleted(after period: Duration) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: deletedFolder.path)) ?? []
        for name in names where UUID(uuidString: String(name.prefix(36))) != nil {
            let rest = name.dropFirst(36)
            guard rest == ".json" || rest.hasPrefix(".json.earlier-") else { continue }
            let file = deletedFolder.appending(path: name, directoryHint: .notDirectory)
            // One of which it is not known when it was deleted stays.
            if let moved = try? FileStamp.changed(file), Date().timeIntervalSince(moved) > period / .seconds(1) {
                remove(file)
            }
        }
    }

    /// Removes deleted chats, so that they cannot be brought back.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` if one is still there.
    func forgetDeleted(_ ids: Set<UUID>) throws(AssistantError) {
        do throws(FileError) {
            defer { WholeFile.flushDirectory(deletedFolder) }
            for name in try FilePlace.names(in: deletedFolder, limit: .max) {
                guard let id = UUID(uuidString: String(name.prefix(36))), ids.contains(id) else { continue }
                let file = deletedFolder.appending(path: name, directoryHint: .notDirectory)
                guard unlink(file.path) == 0 || errno == ENOENT else { throw FileError("remove", file, errno) }
            }
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// Whether a file of a chat was damaged and moved aside.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func hasDamaged(_ id: UUID) throws(AssistantError) -> Bool {
        do {
            return try FilePlace.names(in: url, limit: .max).contains { $0.hasPrefix("\(id.uuidString).json.damaged-") }
        } catch {
            if error.code == .notFound { return false }
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// Removes what a model has computed of a chat.
    func removeCache(_ id: UUID) {
        guard let caches else { return }
        remove(caches.appending(path: id.uuidString, directoryHint: .notDirectory))
    }

    /// Removes what models have computed of chats that are no longer there.
    func removeCaches(except chats: Set<UUID>) {
        guard let caches else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: caches.path)) ?? [] {
            if let id = UUID(uuidString: name), !chats.contains(id) { removeCache(id) }
        }
    }

    // MARK: - The lock

    /// Takes the folder's lock, and makes the folder if it is not there.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, also if another process holds the lock for long.
    func lock() throws(AssistantError) -> FileLock {
        let end = ContinuousClock.now + patience
        do {
            if !FileManager.default.fileExists(atPath: deletedFolder.path) {
                try FilePlace.create(deletedFolder, mode: 0o700)
            }
            while ContinuousClock.now < end {
                if let lock = try FileLock.take(.exclusive, at: url.appending(path: ".lock")) { return lock }
                // The writer has a thread of its own, which may be blocked.
                usleep(1_000)
            }
        } catch {
            throw AssistantError(.storeUnavailable, "Cannot use the folder \(url.path): \(error)", cause: error)
        }
        throw AssistantError(
            .storeUnavailable, "Another program has locked the folder \(url.path) for long; end that program.")
    }
}

extension String {
    /// What is before and after the first occurrence of a text.
    fileprivate func split(_ separator: String) -> (Substring, Substring)? {
        range(of: separator).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
    }
}
