// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import ParleyJSON
import ParleyOpenAI

/// Makes whole answers.
enum Answer {
    /// An answer in JSON.
    static func json(_ value: JSONValue, status: Int = 200) -> Response {
        text(value.text(), type: "application/json", status: status)
    }

    /// An answer of a text.
    static func text(_ text: String, type: String, status: Int = 200) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        headers[.contentLength] = "\(text.utf8.count)"
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The answer that tells an error.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - isAnthropic: whether it has the form of Anthropic's API.
    ///   - id: the request's id.
    /// - Returns: the answer.
    static func error(_ error: ServerError, isAnthropic: Bool, id: String) -> Response {
        let body =
            isAnthropic
            ? AnthropicErrorForm.json(error.error.message, status: error.status, requestID: id) : error.json
        var response = json(body, status: error.status)
        if let seconds = error.retryAfter { response.headers[.retryAfter] = "\(min(max(seconds, 1), 60))" }
        if error.error.code == .insufficientMemory || error.error.code == .timeLimitReached {
            response.headers[.shouldRetry] = "false"
        }
        if !error.allowed.isEmpty { response.headers[.allow] = error.allowed.joined(separator: ", ") }
        if error.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    /// The same answer, after which the connection is closed: the rest of the request is dropped by ``ConnectionWatch``.
    static func closing(_ response: Response) -> Response {
        var response = response
        let body = response.body
        response.headers[.connection] = "close"
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            throw Refused()
        }
        return response
    }

    /// Ends a connection whose request was refused before it was read.
    private struct Refused: Error {}
}

extension Response {
    /// Tells the names of members that were ignored, as far as a head takes them: neither every character nor any length.
    mutating func tell(ignored: [String]) {
        let names = ignored.prefix(32).map { name in
            String(
                decoding: name.utf8.prefix(64).filter { byte in (0x21...0x7E).contains(byte) && byte != 0x2C },
                as: UTF8.self)
        }
        if !ignored.isEmpty {
            headers[.ignoredMembers] = names.filter { !$0.isEmpty }.joined(separator: ", ")
        }
    }
}
