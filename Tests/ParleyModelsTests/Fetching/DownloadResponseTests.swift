// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySystem
import Testing

@Suite("DownloadResponse")
struct DownloadResponseTests {
    @Test("header names are recognised in upper and lower case")
    func cases() {
        let response = DownloadResponse(
            status: 206, headers: ["CONTENT-RANGE": "bytes 5-9/20", "etag": "x", "Retry-after": "3"])
        #expect(response.range == 5..<10)
        #expect(response.totalByteCount == 20)
        #expect(response.validator.etag == "x")
        #expect(response.retryAfter == .seconds(3))
    }

    @Test(
        "an invalid range is ignored",
        arguments: [
            "bytes", "bytes 9-5/20", "bytes -5/20", "bytes a-b/c", "bytes 0-9223372036854775807/5", "items 1-2/3",
            "bytes */20", "",
        ])
    func badRange(text: String) {
        #expect(DownloadResponse(status: 206, headers: ["Content-Range": text]).range == nil)
    }

    @Test("a wait may end at a date, which is compared with that of the answer")
    func datedWait() {
        let headers: HTTPHeaders = [
            "Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT", "Date": "Fri, 31 Dec 1999 23:58:59 GMT",
        ]
        #expect(DownloadResponse(status: 429, headers: headers).retryAfter == .seconds(60))
    }

    @Test("a wait that is no time, or a negative one, is ignored", arguments: ["Friday", "-1", ""])
    func badWait(text: String) {
        #expect(DownloadResponse(status: 429, headers: ["Retry-After": text]).retryAfter == nil)
    }
}
