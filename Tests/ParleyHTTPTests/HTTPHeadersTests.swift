// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import Testing

@Suite("HTTPHeaders")
struct HTTPHeadersTests {
    @Test(
        "the media type is read without parameters",
        arguments: [
            ("application/json", "application/json"), ("Application/JSON; charset=utf-8", "application/json"),
            (" text/event-stream ;charset=utf-8", "text/event-stream"), ("application/jsonl", "application/jsonl"),
            ("application / json", "application / json"), (";", ""), ("", ""),
        ])
    func mediaTypes(value: String, type: String) {
        #expect((["content-TYPE": value] as HTTPHeaders).mediaType == type)
        #expect(([:] as HTTPHeaders).mediaType == nil)
    }

    @Test(
        "a wait is read in seconds, or until a date, within bounds",
        arguments: [
            ("7", .seconds(7)), ("0", .zero), ("1.5", .milliseconds(1_500)), ("1e300", .seconds(1_000_000)),
            ("Sun, 06 Nov 1994 08:49:44 GMT", .seconds(7)), ("Sunday, 06-Nov-94 08:49:44 GMT", .seconds(7)),
            ("Sun Nov  6 08:49:44 1994", .seconds(7)), ("Sun, 06 Nov 1994 08:49:30 GMT", .zero), ("-1", nil),
            ("nan", nil), ("tomorrow", nil), ("", nil), ("\u{301}77", nil),
        ] as [(String, Duration?)])
    func waits(value: String, wait: Duration?) {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect((["Retry-After": value, "Date": date] as HTTPHeaders).requestedWait() == wait)
        // Without the server's own date, the time of this machine counts.
        let now = Date(timeIntervalSince1970: 784_111_777)
        #expect((["Retry-After": value] as HTTPHeaders).requestedWait(now: now) == wait)
        #expect(([:] as HTTPHeaders).requestedWait() == nil)
    }

    @Test(
        "times are written as HTTP wants them, and read again",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ])
    func dates(seconds: Int, text: String) {
        #expect(HTTPDate.text(of: time_t(seconds)) == text)
        let headers: HTTPHeaders = ["Retry-After": text, "Date": HTTPDate.text(of: 0)]
        #expect(headers.requestedWait() == .seconds(min(seconds, 1_000_000)))
    }
}
