// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite("AttachmentStore")
struct AttachmentStoreTests {
    private let directory: TemporaryDirectory
    private let folder: URL
    private let history: ChatStore
    private let png = Data.png(2, 3)
    private let chat = UUID()

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.url.appending(path: "attachments", directoryHint: .isDirectory)
        history = ChatStore(directory: directory.url.appending(path: "sessions"))
    }

    private func store(_ change: (inout AttachmentStore.Limits) -> Void = { _ in }) -> AttachmentStore {
        var limits = AttachmentStore.Limits()
        change(&limits)
        return AttachmentStore(folder, limits: limits)
    }

    /// The names of all files.
    private var files: [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.filter { $0.split(separator: "/").count == 3 }.map { String($0.split(separator: "/")[2]) }.sorted()
    }

    private static let contents: [(Data, FileKind?)] = {
        func text(_ text: String) -> Data { Data(text.utf8) }
        let wide: [UInt8] = "<html>".utf8.flatMap { [$0, 0] }
        return [
            (Data([0xFF, 0xD8, 0xFF, 0xE0, 0]), .jpeg), (text("%PDF-1.7\n"), .pdf), (text("Hello"), .text),
            (text("\u{FEFF} \n<!DOCTYPE HTML><p>a"), .html), (text("<HTML>"), .html),
            (Data([0xFF, 0xFE, 0x41, 0]), .text), (Data([0x50, 0x4B, 3, 4, 0]), nil),
            (text("<?xml version=\"1.0\"?>\n<!-- a -->\n<!-- b --><html lang=\"en\">"), .html),
            (Data([0xFF, 0xFE] + wide), .html), (text("<head>"), .html), (text("<header>"), .text),
            (text("<p align=\"center\">\n\n# Title"), .text), (Data([0x89, 0x50, 0x4E, 0x47, 0]), nil),
        ]
    }()

    @Test("What a file is follows from its content, whatever its name says", arguments: contents)
    func kinds(content: Data, kind: FileKind?) {
        #expect(FileKind(content) == kind)
    }

    @Test("A file is kept once in a chat, found by its id in another process too, and attached as what it is")
    func adding() async throws {
        let store = store()
        let image = try await store.add(png, named: "../../x/a cat.png", to: chat)
        #expect(image.kind == .png && image.size == png.count && image.name == "x a cat.png")
        #expect(image.url.path.hasPrefix(folder.path) && image.id == AttachmentStore.id(of: png, in: chat))
        #expect(try await store.add(png, named: "other.txt", to: chat) == image)
        #expect(try await store.add(png, named: "other.txt", to: UUID()).id != image.id)
        let text = try await store.add(Data("Hello".utf8), named: "notes", to: chat)
        let again = self.store()
        #expect(await again.attachment(image.id) == image)
        #expect(try await again.content(of: image.id) == png)
        #expect(try await again.chatAttachment(image.id) == .image(png))
        #expect(try await again.chatAttachment(text.id) == .document(text.url))
        await again.remove(image.id)
        #expect(await store.attachment(image.id) == nil)
        await #expect(throws: AssistantError.self) { try await store.content(of: image.id) }
    }

    @Test("An image of more pixels than are decoded, or of which the size is not known, is not kept")
    func pixels() async throws {
        let store = store()
        #expect(try await store.add(.png(8_192, 8_192), named: "a.png", to: chat).kind == .png)
        let large = await #expect(throws: AssistantError.self) {
            try await store.add(.png(8_193, 8_192), named: "b.png", to: chat)
        }
        #expect(large?.code == .tooLarge)
        let damaged = await #expect(throws: AssistantError.self) {
            try await store.add(Data([0xFF, 0xD8, 0xFF, 0xE0, 0]), named: "c.jpg", to: chat)
        }
        #expect(damaged?.code == .invalidInput)
        #expect(files == ["a.png"])
    }

    @Test("Readers take a page for a page and a text for a text, whatever the name says")
    func names() async throws {
        let store = store()
        let page = try await store.add(Data("<html><title>T</title><h1>b</h1>".utf8), named: "a.txt", to: chat)
        let text = try await store.add(Data("1 < 2 <b>".utf8), named: "b.html", to: chat)
        #expect(page.name == "a.txt" && text.name == "b.html")
        #expect(try await FileReader().text(at: page.url).title == "T")
        #expect(try await FileReader().text(at: text.url).text == "1 < 2 <b>")
        #expect(try await store.add(Data("x".utf8), named: "..", to: chat).name == "file")
    }

    @Test(
        "An id from outside cannot name another file",
        arguments: [
            "", "../../etc/passwd", "ID-../../../../..", "ID-ABCDEF0123456789", "id-0123456789abcdef",
            "ID-../0123456789abc",
        ])
    func ids(text: String) async throws {
        let store = store()
        _ = try await store.add(png, named: "a", to: chat)
        let other = folder.appending(path: "0123456789abc")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        try png.write(to: other.appending(path: "secret"))
        let id = text.replacing("ID", with: chat.uuidString).replacing("id", with: chat.uuidString.lowercased())
        #expect(await store.attachment(id) == nil)
        await store.remove(id)
        #expect(files == ["a"])
        #expect(FileManager.default.fileExists(atPath: other.appending(path: "secret").path))
    }

    @Test("A file, all files together and their number are bounded; what is no image, PDF or text is refused")
    func limits() async throws {
        let store = store { ($0.file, $0.total, $0.count) = (10, 25, 3) }
        for (content, code) in [
            (Data(repeating: 65, count: 11), AssistantError.Code.tooLarge), (Data(), .invalidInput),
            (Data([1, 0, 2]), .invalidInput),
        ] {
            let error = await #expect(throws: AssistantError.self) {
                try await store.add(content, named: "a", to: chat)
            }
            #expect(error?.code == code)
        }
        for letter in ["a", "b"] {
            _ = try await store.add(Data(String(repeating: letter, count: 10).utf8), named: letter, to: chat)
        }
        let full = await #expect(throws: AssistantError.self) {
            try await store.add(Data(repeating: 67, count: 6), named: "c", to: chat)
        }
        #expect(full?.code == .tooLarge)
        _ = try await store.add(Data("c".utf8), named: "c", to: UUID())
        await #expect(throws: AssistantError.self) { try await store.add(Data("d".utf8), named: "d", to: chat) }
        #expect(files == ["a", "b", "c"])
    }

    @Test(
        "Files to which no message refers go after a day, those of a deleted chat when it cannot be restored any more")
    func sweeping() async throws {
        let store = store()
        let document = try await store.add(Data("Hello".utf8), named: "sent.txt", to: chat)
        let image = try await store.add(png, named: "sent.png", to: chat)
        _ = try await store.add(Data("Bye".utf8), named: "unsent.txt", to: chat)
        _ = try await store.add(Data("New".utf8), named: "new.txt", to: UUID())
        var kept = Chat(id: chat)
        let message = kept.append(ChatMessage(role: .user, content: [.image(png), .text("Look")]))
        kept.update(message) { node in
            node.cards = [
                ["documents": [.string(document.url.absoluteString)], "sources": [], "isUntrusted": false]
            ]
        }
        kept = try await history.save(kept)
        #expect(try await store.sweep(in: history) == 0)
        let tomorrow = Date(timeIntervalSinceNow: 86_500)
        #expect(try await store.sweep(in: history, at: tomorrow) == 2)
        #expect(files == ["sent.png", "sent.txt"])
        try await history.delete(chat)
        #expect(try await store.sweep(in: history, at: tomorrow) == 0)
        #expect(await store.attachment(image.id) != nil)
        let deleted = directory.url.appending(path: "sessions/deleted/\(chat.uuidString).json")
        try FileManager.default.removeItem(at: deleted)
        #expect(try await store.sweep(in: history, at: tomorrow) == 2)
        #expect(files.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("The files of a damaged chat stay, for it may be mended")
    func damagedChat() async throws {
        let store = store()
        _ = try await store.add(Data("Kept".utf8), named: "kept.txt", to: chat)
        #expect(try await history.summaries().isEmpty)
        try Data("{".utf8).write(to: directory.url.appending(path: "sessions/\(chat.uuidString).json"))
        let tomorrow = Date(timeIntervalSinceNow: 86_500)
        for _ in 1...2 { #expect(try await store.sweep(in: history, at: tomorrow) == 0) }
        #expect(files == ["kept.txt"])
    }

    @Test("A chat that cannot be read keeps its files, and keeps no others from going")
    func unreadableChat() async throws {
        let store = store()
        _ = try await store.add(Data("Kept".utf8), named: "kept.txt", to: chat)
        for _ in 0..<8 { _ = try await store.add(Data("Gone".utf8), named: "gone.txt", to: UUID()) }
        #expect(try await history.summaries().isEmpty)
        // The system does not say what is behind a link that leads to itself.
        let file = directory.url.appending(path: "sessions/\(chat.uuidString).json")
        #expect(symlink(file.path, file.path) == 0)
        await #expect(throws: AssistantError.self) {
            try await store.sweep(in: history, at: Date(timeIntervalSinceNow: 86_500))
        }
        #expect(files == ["kept.txt"])
    }
}
