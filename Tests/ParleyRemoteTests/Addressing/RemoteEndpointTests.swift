// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyRemote
import ParleyTestSupport
import Testing

@Suite("Addresses and keys of servers")
struct RemoteEndpointTests {
    @Test(
        "the path of the API is found",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"), ("http://localhost:1/", "http://localhost:1/v1"),
            ("https://a.example/v1/", "https://a.example/v1"),
            ("https://a.example/openai/v1/chat/completions", "https://a.example/openai/v1"),
            ("https://a.example/v1/models", "https://a.example/v1"), ("http://[::1]:8/api", "http://[::1]:8/api"),
        ])
    func path(given: String, used: String) throws {
        #expect(try RemoteEndpoint(#require(URL(string: given)), environment: [:]).url.absoluteString == used)
    }

    @Test(
        "addresses that are none, and those that others could listen to, are refused",
        arguments: [
            "ftp://a.example/v1", "a.example", "http://a.example/v1", "http://127.0.0.1.example/v1",
            "http://192.168.1.7/v1", "http://localhost./v1", "https://user:word@a.example/v1",
            "https://a.example/v1?key=1", "https://a.example/v1#x", "http:///v1",
        ])
    func refused(address: String) throws {
        let url = try #require(URL(string: address))
        let error = #expect(throws: RemoteError.self) { try RemoteEndpoint(url, environment: [:]) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.message.contains("word") != true)
    }

    @Test("the user may insist on HTTP")
    func insisting() throws {
        let url = try #require(URL(string: "http://a.example/v1"))
        #expect(try RemoteEndpoint(url, allowsPlainHTTP: true, environment: [:]).url == url)
    }

    @Test(
        "what is meant for this machine does not go through a proxy",
        arguments: [
            (["http_proxy": "http://proxy:3128"], false), (["ALL_PROXY": "http://proxy:3128"], false),
            (["http_proxy": "http://proxy:3128", "no_proxy": "a,localhost"], true),
            (["http_proxy": "http://proxy:3128", "NO_PROXY": "*"], true), (["https_proxy": "http://proxy:3128"], true),
            (["http_proxy": "http://proxy:3128", "no_proxy": "*,a"], false),
            (["http_proxy": "http://proxy:3128", "no_proxy": "LOCALHOST"], true),
            (["HTTP_PROXY": "http://proxy:3128"], true),
        ] as [([String: String], Bool)])
    func proxies(variables: [String: String], isTaken: Bool) throws {
        let url = try #require(URL(string: "http://localhost:8080/v1"))
        let endpoint = try? RemoteEndpoint(url, environment: ProcessEnvironment(variables))
        #expect((endpoint != nil) == isTaken)
    }

    @Test(
        "a key of OpenAI's goes to OpenAI alone",
        arguments: [
            ("https://api.openai.com/v1", true), ("https://api.openai.com:443/v1", true),
            ("https://API.OpenAI.com/v1", true), ("http://api.openai.com/v1", false),
            ("https://api.openai.com:8443/v1", false), ("https://api.openai.com.example/v1", false),
            ("https://xapi.openai.com/v1", false), ("http://127.0.0.1:8080/v1", false),
            ("https://a.example/api.openai.com", false),
        ])
    func keyOfOpenAI(address: String, isSent: Bool) throws {
        let url = try #require(URL(string: address))
        let openAI: ProcessEnvironment = ["OPENAI_API_KEY": "sk-openai"]
        #expect(try RemoteKey.ofEnvironment(openAI, for: url) == (isSent ? RemoteKey("sk-openai") : nil))
        let own: ProcessEnvironment = ["OPENAI_API_KEY": "sk-openai", "PARLEY_API_KEY": "own"]
        #expect(try RemoteKey.ofEnvironment(own, for: url) == RemoteKey("own"))
        #expect(try RemoteKey.ofEnvironment([:], for: url) == nil)
    }

    @Test("a key is read from a file, and is never shown")
    func keyFile() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "key")
        try Data(" sk-1234567890\r\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let exposed = #expect(throws: RemoteError.self) { try RemoteKey(contentsOf: file) }
        #expect(exposed?.message.contains("Others may read") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let key = try RemoteKey(contentsOf: file)
        #expect(key == (try RemoteKey("sk-1234567890")))
        var shown = "\(key) \(String(reflecting: key)) "
        dump(key, to: &shown)
        dump(try RemoteEndpoint(#require(URL(string: "https://a.example")), key: key), to: &shown)
        #expect(!shown.contains("1234"))
        for text in ["", " \n", "two words", "line\nbreak", "é", String(repeating: "k", count: 5_000)] {
            try Data(text.utf8).write(to: file)
            #expect(throws: RemoteError.self) { try RemoteKey(contentsOf: file) }
        }
        let none = directory.url.appending(path: "none")
        let missing = #expect(throws: RemoteError.self) { try RemoteKey(contentsOf: none) }
        #expect(missing?.message.contains(none.path) == true)
    }

    @Test("a key is read from a pipe, as shells make one for the output of a program")
    func piped() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("sk-piped\n".utf8))
        try pipe.fileHandleForWriting.close()
        let file = URL(filePath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        #expect(try RemoteKey(contentsOf: file) == RemoteKey("sk-piped"))
    }
}
