// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import Testing

@Suite("URL+Origin")
struct URLOriginTests {
    @Test(
        "redirects from the web to files, to this machine, to its network or to unencrypted addresses are refused",
        arguments: [
            "file:///etc/passwd", "ftp://host.example/m.gguf", "data:text/plain,x", "http://host.example/m.gguf",
            "https://127.0.0.1/", "https://localhost/", "https://127.1/", "https://0x7f000001/", "https://2130706433/",
            "https://10.1.2.3/", "https://192.168.0.1/", "https://172.31.0.1/", "https://169.254.169.254/latest",
            "https://[::1]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/",
            "https://router/", "https://printer.local/", "https://0.0.0.0/", "https:///m.gguf", "https://198.18.0.1/",
            "https://192.0.0.8/", "https://192.0.2.1/", "https://224.0.0.1/", "https://255.255.255.255/",
            "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://[2001:db8::1]/", "https://[ff02::1]/",
        ])
    func refusedRedirects(address: String) throws {
        let origin = try #require(URL(string: "https://host.example/model.gguf"))
        let target = try #require(URL(string: address))
        #expect(origin.refusal(ofSendingTo: target) != nil)
    }

    @Test(
        "redirects to other addresses on the web are followed, also within the local network",
        arguments: [
            ("https://host.example/", "https://cdn.example/"), ("http://host.example/", "https://cdn.example/"),
            ("http://host.example/", "http://cdn.example/"), ("http://127.0.0.1:80/", "http://127.0.0.1:81/"),
            ("http://hub.lan/", "http://192.168.1.5/"), ("https://host.example/", "https://8.8.8.8/"),
            ("https://host.example/", "https://1.example.org/"),
            ("https://host.example/", "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/"),
        ])
    func allowedRedirects(origin: String, target: String) throws {
        let origin = try #require(URL(string: origin))
        let target = try #require(URL(string: target))
        #expect(origin.refusal(ofSendingTo: target) == nil)
    }

    @Test(
        "this machine is localhost, what is below it, and its own addresses",
        arguments: [
            "localhost", "LocalHost", "dav.localhost", "127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "[::1]",
            "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "[::ffff:7f00:1]",
        ])
    func thisMachine(host: String) throws {
        #expect(URL.isLoopback(host: host))
        let isBare = host.contains(":") && !host.hasPrefix("[")
        #expect(try #require(URL(string: "http://\(isBare ? "[\(host)]" : host):8080/")).isLoopback)
    }

    @Test(
        "this machine is no name that is looked up, and no number that others read otherwise",
        arguments: [
            "", "localhost.", "dav.localhost.", "localhost.example", "notlocalhost", "127.0.0.1.", "127.0.0.1.example",
            "127.1", "0177.0.0.1", "2130706433", "+127.0.0.1", "127.0.0.+1", "127.0.0.1\u{0}.example", "0.0.0.0",
            "128.0.0.1", "::", "::2", "::127.0.0.1", "::ffff:10.0.0.1", "fe80::1", "machine",
        ])
    func otherMachines(host: String) {
        #expect(!URL.isLoopback(host: host))
    }
}
