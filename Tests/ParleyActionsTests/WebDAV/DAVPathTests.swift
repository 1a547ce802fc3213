// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import Testing

@Suite("DAVPath")
struct DAVPathTests {
    private func path(_ href: String) throws -> DAVPath? {
        DAVPath(href: href, on: try #require(URL(string: "https://example.org/dav/")))
    }

    @Test("spellings with other escapes are equal, and written in one way")
    func equality() throws {
        let path = try #require(try path("/us%65r%40x/a%20b.ics"))
        #expect(path == (try self.path("https://EXAMPLE.org:443/user@x/a%20b.ics")))
        #expect(path.encoded == "/user@x/a%20b.ics")
        #expect(path.names == ["user@x", "a b.ics"])
        #expect(try self.path("/a/")?.encodedFolder == "/a/")
        #expect(try self.path("/a/") == self.path("/a"))
        #expect(try self.path("/")?.encodedFolder == "/")
        // A name may have a slash, which stays escaped.
        #expect(try self.path("/a/b%2Fc.ics")?.encoded == "/a/b%2Fc.ics")
    }

    @Test(
        "what leads elsewhere is no path",
        arguments: [
            "/a/../b", "/a/%2e%2e/b", "/a/./b", "/a//b", "//other.org/a", "https://other.org/a", "http://example.org/a",
            "https://example.org:444/a", "https://user@example.org/a", "a/b", "", "/a?b", "/a#b", "file:///etc/passwd",
            "/a%00b", "/a%0Ab", "/%FF", "https://example.org/a/../b", "https://example.org/a?b",
            "/" + String(repeating: "a", count: 5_000),
        ])
    func elsewhere(href: String) throws {
        #expect(try path(href) == nil)
    }

    @Test("a collection has what is directly in it")
    func parents() throws {
        let home = try #require(try path("/a/b/"))
        #expect(home.isParent(of: try #require(try path("/a/b/c.ics"))))
        for other in ["/a/b", "/a/b/c/d.ics", "/a/x/c.ics", "/c.ics"] {
            #expect(!home.isParent(of: try #require(try path(other))))
        }
        #expect(home.appending("c d.ics").encoded == "/a/b/c%20d.ics")
    }
}
