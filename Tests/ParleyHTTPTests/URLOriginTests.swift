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
            "https://router/", "https://printer.local/", "https://0.0.0.0/", "https:///m.gguf",
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
            ("https://host.example/", "https://1.example.org/"), ("https://host.example/", "https://[2001:db8::1]/"),
        ])
    func allowedRedirects(origin: String, target: String) throws {
        let origin = try #require(URL(string: origin))
        let target = try #require(URL(string: target))
        #expect(origin.refusal(ofSendingTo: target) == nil)
    }
}
