// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyTestSupport
import Testing

@Suite("Items that cannot be reached")
struct UnreachableItemTests {
    /// A collection in which reading one item fails.
    private struct FailingItems: ItemCollection {
        let code: AssistantError.Code
        let suffix: String
        let name = "items"

        func paths() -> [String] { ["a", "b"].map { "\($0).\(suffix)" } }

        func item(_ id: StoreItem.ID) throws -> StoreItem? {
            if id.path.hasPrefix("a") { throw AssistantError(code, "It cannot be read.") }
            let text =
                suffix == "vcf"
                ? "BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEND:VCARD\n"
                : calendar("UID:b\nDTSTART:20260302T080000Z\nDTEND:20260302T090000Z\nSUMMARY:B")
            return StoreItem(id: id, content: Data(text.replacing("\n", with: "\r\n").utf8))
        }

        func apply(_ change: Change<StoreItem>) {}
    }

    private let week = DateInterval(start: ItemsInMemory.now, duration: 7 * 86_400)

    @Test(
        "A store that fails while its items are read is not shown as if it had fewer: their time would seem to be free",
        arguments: [AssistantError.Code.storeUnavailable, .tooLarge])
    func failing(code: AssistantError.Code) async throws {
        let events = CalendarItems(FailingItems(code: code, suffix: "ics"), timeZone: .gmt)
        #expect(await #expect(throws: AssistantError.self) { try await events.events(in: week) }?.code == code)
        let contacts = ContactBook(FailingItems(code: code, suffix: "vcf"))
        #expect(
            await #expect(throws: AssistantError.self) {
                try await contacts.contacts(matching: "anna", limit: 3)
            }?.code == code)
    }

    @Test(
        "An item that is damaged or has gone hides no other",
        arguments: [AssistantError.Code.invalidItem, .itemNotFound, .refused])
    func damaged(code: AssistantError.Code) async throws {
        let events = CalendarItems(FailingItems(code: code, suffix: "ics"), timeZone: .gmt)
        #expect(try await events.events(in: week).map(\.title) == ["B"])
        let contacts = ContactBook(FailingItems(code: code, suffix: "vcf"))
        #expect(try await contacts.contacts(matching: "anna", limit: 3).map(\.name) == ["Anna"])
    }

    @Test("A folder of notes or habits that cannot be reached is an error, and no name in it is free")
    func unreachableFolder() async throws {
        let directory = try TemporaryDirectory()
        let loop = directory.url.appending(path: "loop", directoryHint: .notDirectory)
        #expect(symlink(loop.path, loop.path) == 0)
        let folder = loop.appending(path: "folder", directoryHint: .isDirectory)
        let (notes, habits) = (NoteFolder(folder), HabitFolder(folder))
        #expect(
            await #expect(throws: AssistantError.self) { try await notes.notes(limit: 5) }?.code == .storeUnavailable)
        #expect(await #expect(throws: AssistantError.self) { try await habits.habits() }?.code == .storeUnavailable)
        let error = await #expect(throws: AssistantError.self) {
            try await habits.creation(name: "a", unit: .boolean, frequency: .daily, emoji: nil)
        }
        #expect(error?.code == .storeUnavailable)
    }
}
