// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyCommandLine
import ParleyTestSupport
import Testing

@Suite("OutputFile")
struct OutputFileTests {
    private let directory: TemporaryDirectory
    private var folder: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    @Test("an existing file is kept until the new one is complete")
    func replacing() throws {
        let url = folder.appending(path: "a")
        try Data("old".utf8).write(to: url)
        do {
            let abandoned = try OutputFile(path: url.path)
            try abandoned.write(Data("half".utf8))
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == "old")
        #expect(try names() == ["a"])
        let file = try OutputFile(path: url.path)
        try file.write(Data("new".utf8))
        #expect(try String(contentsOf: url, encoding: .utf8) == "old")
        try file.finish()
        #expect(try String(contentsOf: url, encoding: .utf8) == "new")
        #expect(try names() == ["a"])
    }

    @Test("a file that is replaced stays as private as it is")
    func permissions() throws {
        let url = folder.appending(path: "a")
        for mode in [0o600, 0o640] {
            try Data("old".utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
            let file = try OutputFile(path: url.path)
            try file.write(Data("new".utf8))
            try file.finish()
            #expect(try String(contentsOf: url, encoding: .utf8) == "new")
            #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == mode)
        }
    }

    @Test("the system's reason is told with the path that was given, and a remedy")
    func reasons() throws {
        let long = String(repeating: "x", count: 300)
        for (name, reason) in [("none/a", "No such file or directory"), (long, "too long")] {
            let path = folder.appending(path: name).path
            let error = #expect(throws: CommandError.self) { try OutputFile(path: path) }
            let message = try #require(error).message
            #expect(message.hasPrefix("Cannot create \(path): ") && message.contains(reason), "\(message)")
            #expect(message.hasSuffix("Check the directory and its permissions."))
        }
    }

    @Test("what to do about a file that is there already is said as the command has it")
    func remedy() throws {
        let url = folder.appending(path: "a")
        try Data().write(to: url)
        let error = #expect(throws: CommandError.self) {
            try OutputFile(path: url.path, mayReplace: false, remedy: "give --force")
        }
        #expect(error.map { "\($0)" }?.hasSuffix("exists already; give --force.") == true)
    }

    @Test("a file that must not be replaced is kept, also one created while the new one is written")
    func keeping() throws {
        let url = folder.appending(path: "a")
        let file = try OutputFile(path: url.path, mayReplace: false)
        try Data("other".utf8).write(to: url)
        #expect(throws: CommandError.self) { try file.finish() }
        #expect(throws: CommandError.self) { try OutputFile(path: url.path, mayReplace: false) }
        #expect(try String(contentsOf: url, encoding: .utf8) == "other")
    }

    @Test("a file that has the name of a temporary one is nobody else's to write")
    func temporaryName() throws {
        let mine = folder.appending(path: "a.part")
        try Data("mine".utf8).write(to: mine)
        let file = try OutputFile(path: folder.appending(path: "a").path)
        try file.write(Data("new".utf8))
        try file.finish()
        #expect(try String(contentsOf: mine, encoding: .utf8) == "mine")
    }

    @Test("a link is followed")
    func links() throws {
        let (url, link) = (folder.appending(path: "a"), folder.appending(path: "b"))
        try Data("old".utf8).write(to: url)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let file = try OutputFile(path: link.path)
        try file.write(Data("new".utf8))
        try file.finish()
        #expect(try String(contentsOf: url, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == url.path)
    }

    @Test("anything but a regular file is written directly")
    func devices() throws {
        let file = try OutputFile(path: "/dev/null")
        try file.write(Data("gone".utf8))
        try file.finish()
        #expect(!FileManager.default.fileExists(atPath: "/dev/null.part"))
    }
}
