// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import Synchronization

/// A calendar server in memory, which also does what servers should not do.
final class ServerInMemory: HTTPClient {
    struct State {
        var items: [String: (content: Data, etag: String)] = [:]
        /// The changes of items, oldest first; a token is a number of changes.
        var log: [String] = []
        var version = 0
        var requests: [HTTPRequest] = []
        /// The tokens before this one are no longer known.
        var firstToken = 0
        var tellsChanges = true
        var isReadOnly = false
        /// Whether writes are answered with an entity tag.
        var givesTags = true
        /// What the server makes of what it is sent.
        var rewriting: @Sendable (Data) -> Data = { $0 }
        /// Called before each request, with its number.
        var before: @Sendable (Int, HTTPRequest) throws -> Void = { _, _ in }
        /// Called after each request is done and before it is answered.
        var after: @Sendable (Int, HTTPRequest) throws -> Void = { _, _ in }
        /// Answers in place of the server's own, by method and path.
        var answers: [String: HTTPAnswer] = [:]
        /// Whether what is got may come compressed, with another entity tag than the item has.
        var compresses = false
        /// The number of items in one answer to a sync-collection report.
        var page = Int.max
    }

    let state = Mutex(State())
    static let folder = "/home/cal/"

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let (number, before, after) = state.withLock { state in
            state.requests.append(request)
            return (state.requests.count - 1, state.before, state.after)
        }
        try before(number, request)
        let answer = state.withLock { Self.answer(request, &$0) }
        try after(number, request)
        return try await use(
            HTTPResponse(status: answer.status, headers: answer.headers, body: HTTPBody([answer.body])))
    }

    /// The answer to a request, at once.
    func answer(to request: HTTPRequest) -> HTTPAnswer {
        state.withLock { state in
            state.requests.append(request)
            return Self.answer(request, &state)
        }
    }

    // MARK: Another client

    /// Writes an item as another client would.
    func write(_ name: String, _ text: String) {
        state.withLock { Self.write(Self.folder + name, Data(text.utf8), &$0) }
    }

    func remove(_ name: String) {
        state.withLock { state in
            state.items[Self.folder + name] = nil
            state.log.append(Self.folder + name)
        }
    }

    /// The texts of all items, by name.
    var texts: [String: String] {
        state.withLock { state in
            Dictionary(
                uniqueKeysWithValues: state.items.map {
                    (String($0.key.dropFirst(Self.folder.count)), String(decoding: $0.value.content, as: UTF8.self))
                })
        }
    }

    /// The methods of all requests so far, which are then forgotten.
    func takeMethods() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests.map(\.method)
        }
    }

    // MARK: The server

    private static func write(_ path: String, _ content: Data, _ state: inout State) {
        state.version += 1
        state.items[path] = (content, "\"v\(state.version)\"")
        state.log.append(path)
    }

    private static func answer(_ request: HTTPRequest, _ state: inout State) -> HTTPAnswer {
        let path = request.url.path(percentEncoded: true)
        if let answer = state.answers["\(request.method) \(path)"] { return answer }
        let body = String(decoding: request.body ?? Data(), as: UTF8.self)
        switch request.method {
        case "PROPFIND": return properties(path, depth: request.headers["Depth"] ?? "", state)
        case "REPORT" where body.contains("sync-collection"): return changes(body, state)
        case "REPORT": return multiget(body, state)
        case "GET":
            guard let item = state.items[path] else { return HTTPAnswer(status: 404) }
            let isCompressed = state.compresses && request.headers["Accept-Encoding"] != "identity"
            return HTTPAnswer(
                status: 200, headers: ["ETag": isCompressed ? "W/" + item.etag : item.etag], body: item.content)
        case "PUT", "DELETE": return write(request, path, &state)
        default: return HTTPAnswer(status: 405)
        }
    }

    private static func write(_ request: HTTPRequest, _ path: String, _ state: inout State) -> HTTPAnswer {
        if state.isReadOnly { return HTTPAnswer(status: 403) }
        let current = state.items[path]
        if let tag = request.headers["If-Match"] {
            guard let current else { return HTTPAnswer(status: request.method == "PUT" ? 412 : 404) }
            guard current.etag == tag else { return HTTPAnswer(status: 412) }
        } else if request.headers["If-None-Match"] == "*" {
            guard current == nil else { return HTTPAnswer(status: 412) }
        } else {
            // A write that would overwrite whatever is there.
            return HTTPAnswer(status: 428)
        }
        if request.method == "DELETE" {
            state.items[path] = nil
            state.log.append(path)
            return HTTPAnswer(status: 204)
        }
        write(path, state.rewriting(request.body ?? Data()), &state)
        let tag = state.items[path]?.etag ?? ""
        return HTTPAnswer(status: current == nil ? 201 : 204, headers: state.givesTags ? ["ETag": tag] : [:])
    }

    private static func properties(_ path: String, depth: String, _ state: State) -> HTTPAnswer {
        switch (path, depth) {
        case ("/", _), ("/.well-known/caldav", _):
            return multistatus([
                response(path, "<d:current-user-principal><d:href>/me/</d:href></d:current-user-principal>")
            ])
        case ("/me/", _):
            return multistatus([response(path, "<c:calendar-home-set><d:href>/home/</d:href></c:calendar-home-set>")])
        case ("/home/", "1"):
            let home = response(path, "<d:resourcetype><d:collection/></d:resourcetype>")
            return multistatus([home, collection(state)])
        case (folder, "0"): return multistatus([collection(state)])
        case (folder, "1"):
            let items = state.items.sorted { $0.key < $1.key }.map { response($0.key, tag($0.value.etag)) }
            return multistatus([collection(state)] + items)
        default: return HTTPAnswer(status: 404)
        }
    }

    private static func collection(_ state: State) -> String {
        response(
            folder,
            """
            <d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Work &amp; play</d:displayname>
            <i:calendar-color>#ff8800ff</i:calendar-color>
            <c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>
            <d:current-user-privilege-set><d:privilege><d:read/></d:privilege>
            \(state.isReadOnly ? "" : "<d:privilege><d:write/></d:privilege>")</d:current-user-privilege-set>
            <d:supported-report-set>\(state.tellsChanges
                ? "<d:supported-report><d:report><d:sync-collection/></d:report></d:supported-report>" : "")
            </d:supported-report-set>
            """)
    }

    private static func changes(_ body: String, _ state: State) -> HTTPAnswer {
        guard state.tellsChanges else { return HTTPAnswer(status: 403) }
        let token = body.firstMatch(of: #/<d:sync-token>(\d*)</d:sync-token>/#).map { String($0.1) } ?? ""
        let start = Int(token) ?? 0
        guard start >= state.firstToken || token.isEmpty, start <= state.log.count else {
            return HTTPAnswer(status: 403, body: Data("<d:error xmlns:d=\"DAV:\"><d:valid-sync-token/></d:error>".utf8))
        }
        let part = state.log[start...].prefix(state.page)
        var parts = Set(part).sorted().compactMap { path -> String? in
            if let item = state.items[path] { return response(path, tag(item.etag)) }
            if token.isEmpty { return nil }
            return "<d:response><d:href>\(path)</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
        }
        if part.endIndex < state.log.count {
            parts.append("<d:response><d:href>\(folder)</d:href><d:status>HTTP/1.1 507 Full</d:status></d:response>")
        }
        return multistatus(parts + ["<d:sync-token>\(part.endIndex)</d:sync-token>"])
    }

    private static func multiget(_ body: String, _ state: State) -> HTTPAnswer {
        multistatus(
            body.matches(of: #/<d:href>([^<]*)</d:href>/#).map { match in
                let path = String(match.1)
                guard let item = state.items[path] else {
                    return
                        "<d:response><d:href>\(path)</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
                }
                let text = String(decoding: item.content, as: UTF8.self)
                    .replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                return response(path, tag(item.etag) + "<c:calendar-data>\(text)</c:calendar-data>")
            })
    }

    private static func tag(_ etag: String) -> String { "<d:getetag>\(etag)</d:getetag>" }

    private static func response(_ path: String, _ properties: String) -> String {
        "<d:response><d:href>\(path)</d:href><d:propstat><d:prop>\(properties)</d:prop>"
            + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    }

    static func multistatus(_ parts: [String]) -> HTTPAnswer {
        HTTPAnswer(
            status: 207,
            body: Data(
                """
                <?xml version="1.0" encoding="utf-8"?><d:multistatus xmlns:d="DAV:" \
                xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:i="http://apple.com/ns/ical/">\(parts.joined())\
                </d:multistatus>
                """.utf8))
    }
}
