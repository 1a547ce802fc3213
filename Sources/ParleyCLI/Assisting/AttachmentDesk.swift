// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCommandLine
import ParleyConversation
import ParleyFiles

/// Makes attachments of paths and addresses.
struct AttachmentDesk: Sendable {
    /// The largest image in bytes.
    static let mostImageBytes = 32 << 20

    let documents: AttachedDocuments
    /// The name of the model, for remarks.
    let modelName: String
    let seesImages: Bool

    /// An attachment with what is said about it.
    struct Attached: Sendable {
        var attachment: ChatAttachment
        var remark: String
    }

    /// Reads a file.
    ///
    /// - Throws: ``CommandError``, or `AssistantError`.
    func file(_ path: String) async throws -> Attached {
        let url = URL(filePath: NSString(string: path).expandingTildeInPath)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw CommandError("There is no file \(path).")
        }
        if isFolder.boolValue { throw CommandError("\(path) is a folder; name a file in it.") }
        if let image = try Self.image(at: url) {
            guard seesImages else {
                throw CommandError(
                    "\(modelName) does not see images. Use a model that does; with llama.cpp, --mmproj FILE loads a "
                        + "projector.")
            }
            return Attached(attachment: .image(image), remark: "Attached the image \(url.lastPathComponent).")
        }
        return try await document(url, named: url.lastPathComponent)
    }

    /// Reads a page of the web.
    ///
    /// - Throws: ``CommandError``, or `AssistantError`.
    func page(_ address: String) async throws -> Attached {
        let address = address.contains("://") ? address : "https://" + address
        guard let url = URL(string: address), url.host()?.isEmpty == false else {
            throw CommandError("\(address) is no address of a page.")
        }
        await documents.forget(url)
        return try await document(url, named: nil)
    }

    private func document(_ url: URL, named name: String?) async throws -> Attached {
        if name != nil { await documents.forget(url) }
        let text = try await documents.text(at: url)
        let size = text.text.count
        guard size > 0 else { throw CommandError("\(name ?? url.absoluteString) has no text.") }
        let length = size == 1 ? "1 character" : "\(size) characters"
        let cut = text.isCut ? "the first \(length)" : length
        return Attached(
            attachment: .document(url), remark: "Attached “\(name ?? text.title)”, \(cut), to your next message.")
    }

    /// The bytes of a JPEG or PNG file; nil for another file.
    ///
    /// - Throws: ``CommandError`` if it cannot be read or is too large, or `AssistantError` if it has too many pixels.
    static func image(at url: URL) throws -> Data? {
        guard let start = try? WholeFile.beginning(of: url, limit: 8).data, ImageKind(start) != nil else { return nil }
        let image: Data
        do {
            image = try WholeFile.contents(of: url, limit: mostImageBytes)
        } catch {
            guard error.code == .tooLarge else { throw CommandError(error.message, cause: error) }
            throw CommandError("\(url.lastPathComponent) is larger than \(mostImageBytes >> 20) MiB.")
        }
        try ChatAttachment.check(image: image)
        return image
    }
}
