// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import Testing

@Suite("Multistatus")
struct MultistatusTests {
    private func read(_ response: String) throws -> Multistatus {
        let text = "<multistatus xmlns=\"DAV:\">\(response)<sync-token>t1</sync-token></multistatus>"
        return try Multistatus(reading: Data(text.utf8))
    }

    private func propstat(_ content: String, status: Int) -> String {
        "<propstat><prop>\(content)</prop><status>HTTP/1.1 \(status) .</status></propstat>"
    }

    @Test("resources of one answer have its status, or those of its properties that were found")
    func reading() throws {
        let answer = try read(
            "<response><href>/a</href><href>/b</href><status>HTTP/1.1 404 Not Found</status></response>"
                + "<response><href>/c</href>\(propstat("<getetag>\"1\"</getetag>", status: 200))"
                + propstat("<displayname/>", status: 404) + "</response>")
        #expect(answer.responses.map(\.href) == ["/a", "/b", "/c"])
        #expect(answer.responses.map(\.status) == [404, 404, nil])
        #expect(answer.responses.map(\.etag) == [nil, nil, "\"1\""])
        #expect(answer.responses.map(\.properties.count) == [0, 0, 1])
        #expect(answer.syncToken == "t1")
    }

    @Test("properties are read once for all resources of an answer, which would take long for each of them")
    func manyOfBoth() throws {
        let count = 20_000
        let answer = try read(
            "<response>" + String(repeating: "<href>/a</href>", count: count)
                + String(repeating: propstat("<getetag>1</getetag>", status: 200), count: count) + "</response>")
        #expect(answer.responses.count == count)
        #expect(answer.responses.allSatisfy { $0.etag == "1" })
    }
}
