// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import Testing

@Suite("EnvironmentProxies")
struct EnvironmentProxiesTests {
    private static let proxy = "http://proxy:3128"

    @Test(
        "the variables are those that libcurl reads",
        arguments: [
            (["http_proxy": proxy], ["http"]), (["HTTP_PROXY": proxy], []), (["https_proxy": proxy], ["https"]),
            (["HTTPS_PROXY": proxy], ["https"]), (["all_proxy": proxy], ["http", "https"]),
            (["ALL_PROXY": proxy], ["http", "https"]), (["http_proxy": "", "ALL_PROXY": proxy], ["http", "https"]),
            ([:], []),
        ] as [([String: String], [String])])
    func variables(variables: [String: String], schemes: [String]) {
        let proxies = EnvironmentProxies(ProcessEnvironment(variables))
        #expect(["http", "https"].filter { proxies.proxy(for: $0) == Self.proxy } == schemes)
    }

    @Test(
        "exceptions are divided and compared as libcurl does it",
        arguments: [
            ("localhost", "localhost", false), ("a,localhost", "localhost", false), ("a localhost", "localhost", false),
            ("a, localhost", "LocalHost", false), (".LOCALHOST", "localhost", false),
            ("localhost", "dav.localhost", false), ("*", "localhost", false), ("127.0.0.1", "127.0.0.1", false),
            ("::1", "[::1]", false), ("", "localhost", true), ("*,a", "localhost", true), (" *", "localhost", true),
            ("..localhost", "localhost", true), ("a;localhost", "localhost", true), ("host", "localhost", true),
            ("dav.localhost", "localhost", true), ("0.0.1", "127.0.0.1", true),
        ])
    func exceptions(list: String, host: String, isCarried: Bool) throws {
        let url = try #require(URL(string: "http://\(host):8080/v1"))
        for name in ["no_proxy", "NO_PROXY"] {
            let proxies = EnvironmentProxies(ProcessEnvironment(["http_proxy": Self.proxy, name: list]))
            #expect(proxies.carries(url) == isCarried)
        }
        #expect(!EnvironmentProxies(["https_proxy": Self.proxy]).carries(url))
    }
}
