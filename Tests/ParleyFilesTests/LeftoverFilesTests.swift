// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyTestSupport
import Testing

@Suite("LeftoverFiles")
struct LeftoverFilesTests {
    private let directory: TemporaryDirectory
    private var folder: URL { directory.url }

    init() throws { directory = try TemporaryDirectory() }

    /// A temporary name, as programs that are ended leave it.
    private func left(_ name: String = "a.ics") -> String { ".\(name).\(UUID().uuidString).tmp" }

    private func write(_ name: String, hoursAgo hours: Double) throws {
        let file = folder.appending(path: name)
        try Data("x".utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600 * hours)], ofItemAtPath: file.path)
    }

    @Test("what ended programs have left is removed when a file is written beside it, and nothing else is")
    func removal() throws {
        let (old, fresh, upper) = (left(), left(), UUID().uuidString)
        let foreign = [
            ".a.tmp", "a.\(upper).tmp", ".\(upper).tmp", ".a.\(upper).tmp.ics", ".a.\(upper.lowercased()).tmp",
            ".a.\(upper.dropLast()).tmp", "..\(upper).tmp", ".a\(upper).tmp", ".a.\(upper).TMP",
        ]
        for name in [old, left("b"), left("x.y.z"), left(String(repeating: "ä", count: 40))] + foreign {
            try write(name, hoursAgo: 25)
        }
        try write(fresh, hoursAgo: 23)
        let (link, place, inside) = (left(), left(), left())
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: link), withDestinationURL: folder.appending(path: ".a.tmp"))
        try FileManager.default.createDirectory(
            at: folder.appending(path: place), withIntermediateDirectories: false)
        try write("\(place)/\(inside)", hoursAgo: 25)
        try WholeFile.write(Data("new".utf8), to: folder.appending(path: "a.ics"))
        #expect(try Set(directory.listing) == Set(foreign + [fresh, link, "\(place)/\(inside)", "a.ics"]))
    }

    @Test("a file that is being written stays, however long that takes")
    func locked() throws {
        let target = folder.appending(path: "a.ics")
        let file = try UnfinishedFile(for: target)
        try file.append(Data("slow".utf8))
        let name = try #require(try directory.listing.first)
        #expect(LeftoverFiles.isTemporaryName(name))
        let later = Date(timeIntervalSinceNow: 1_000_000)
        #expect(LeftoverFiles.remove(in: folder, now: later) == 0)
        try file.publish()
        #expect(try WholeFile.contents(of: target, limit: 4) == Data("slow".utf8))
    }

    @Test("a process that is killed while it writes leaves a file, which is removed a day later")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let file = try UnfinishedFile(for: URL(filePath: path).appending(path: "a.ics"))
            try file.append(Data("half".utf8))
            kill(getpid(), SIGKILL)
        }
        #expect(try directory.listing.count == 1)
        #expect(LeftoverFiles.remove(in: folder) == 0)
        #expect(LeftoverFiles.remove(in: folder, now: Date(timeIntervalSinceNow: 90_000)) == 1)
        #expect(try directory.listing.isEmpty)
    }

    @Test("a folder is looked through once, so that writing does not take longer the more there is in it")
    func once() throws {
        let file = folder.appending(path: "a.ics")
        try WholeFile.write(Data("1".utf8), to: file)
        let name = left()
        try write(name, hoursAgo: 25)
        try WholeFile.write(Data("2".utf8), to: file)
        #expect(try directory.listing.sorted() == [name, "a.ics"])
        #expect(LeftoverFiles.remove(in: folder) == 1)
        #expect(LeftoverFiles.remove(in: folder.appending(path: "none")) == 0)
    }
}
