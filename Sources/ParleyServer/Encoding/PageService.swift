// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import ParleyOpenAI
import ParleySpeech

/// Answers the requests of the page.
struct PageService: Sendable {
    let state: ServerState

    /// Answers a request.
    ///
    /// - Throws: ``ServerError`` with status 404 on a server without a page; what else a request can fail with.
    func answer(_ match: Route.Match, _ asked: ServerRequest) async throws -> Response {
        guard let page = state.page else { throw ServerError(404, .notFound, "This server has no page.") }
        let (request, key) = (asked.request, asked.client.key)
        let reader = asked.bodyReader(state.configuration.limits)
        let query = request.uri.queryParameters.reduce(into: [:]) { $0[String($1.key)] = String($1.value) }
        let kind: PageRequest.Kind =
            switch match.route {
            case .pageReading: .read
            case .pageWriting: .write
            case .pageFilling: .fill
            default: .file
            }
        // What is said comes as sound; wishes are JSON.
        let isSound = kind == .write && match.name == "transcribe"
        let isWish = kind == .write && !isSound
        let wanted = PageRequest(
            kind: kind, path: match.name ?? "", query: query, key: key, knownTag: request.headers[.ifNoneMatch],
            body: { try await isWish ? reader.json(request) : reader.bytes(request) })
        let answer = try await isSound ? transcript(wanted, of: page, asked) : page.answer(wanted)
        var response =
            switch answer {
            case .bytes(let bytes, let type, let fields): Self.response(bytes, type, fields)
            case .unchanged(let fields): Response(status: .notModified, headers: fields)
            case .events(let lines): EventStreamAnswer.response(lines, state, key: key)
            }
        if kind != .file { response.headers[.cacheControl] = "no-store" }
        Self.secure(&response.headers)
        return response
    }

    /// Has a recording written down: in its turn, and only as long as its client waits for it.
    private func transcript(
        _ wanted: PageRequest, of page: any ServedPage, _ asked: ServerRequest
    ) async throws -> PageAnswer {
        guard let speech = state.speech else { throw ServerError.hearsNothing }
        asked.record.set(model: speech.id)
        try asked.claim.enter()
        // A slow client takes nobody's turn.
        let sound = try await wanted.body()
        var whole = wanted
        whole.body = { sound }
        let work = WholeAnswer<PageAnswer>(state: state) { _ in 0 }
        return try await work.value(for: asked) { [whole] turn in
            do {
                _ = try await state.loaded(speech)
            } catch let error as SpeechError {
                throw ServerError(error)
            }
            let cost = RequestCost.hearing(bytes: sound.count)
            return try await turn.take(of: speech.id, cost: cost) { try await page.answer(whole) }
        }
    }

    private static func response(_ bytes: [UInt8], _ type: String, _ fields: HTTPFields) -> Response {
        var headers = fields
        headers[.contentType] = type
        headers[.contentLength] = "\(bytes.count)"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// What keeps other sites and texts in the page from doing harm: nothing is loaded from elsewhere, no text becomes
    /// code.
    private static func secure(_ headers: inout HTTPFields) {
        headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src blob:; \
            font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
            """
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        headers[.openerPolicy] = "same-origin"
        headers[.resourcePolicy] = "same-origin"
        headers[.permissionsPolicy] = "microphone=(self)"
    }
}

/// Server-sent events that have no end of their own.
enum EventStreamAnswer {
    /// The head of every stream of events.
    static var headers: HTTPFields {
        var headers = HTTPFields()
        headers[.contentType] = "text/event-stream"
        headers[.cacheControl] = "no-cache"
        // Proxies that gather answers would hold the stream back.
        headers[HTTPField.Name("X-Accel-Buffering") ?? .cacheControl] = "no"
        return headers
    }

    /// An answer that ends with the lines, when the client goes or when the server drains. After some seconds of silence
    /// it has a comment, so that proxies and clients know that it lives. It ends too when its key is removed. The lines are
    /// asked for one at a time, when those before them have been written.
    static func response(
        _ source: some AsyncSequence<String, Never> & Sendable, _ state: ServerState, key: AccessKey? = nil
    ) -> Response {
        Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                // Nil is a silence.
                let (lines, continuation) = AsyncStream.makeStream(of: String?.self)
                let (written, writing) = AsyncStream.makeStream(of: Void.self)
                let reader = Task {
                    var turns = written.makeAsyncIterator()
                    for await line in source {
                        continuation.yield(line)
                        // What a client is too slow for waits at the source, which has limits of its own.
                        _ = await turns.next()
                    }
                    continuation.finish()
                }
                let clock = Task {
                    var seconds = 0
                    while !Task.isCancelled, !state.isDraining, key.map(state.requestGuard.stillKnows) != false {
                        try? await Task.sleep(for: .seconds(1))
                        seconds += 1
                        if seconds % 5 == 0 { continuation.yield(nil) }
                    }
                    continuation.finish()
                }
                defer {
                    reader.cancel()
                    clock.cancel()
                }
                try await writer.write(ByteBuffer(string: ": events follow\n\n"))
                for await line in lines {
                    try await writer.write(ByteBuffer(string: line ?? ": still here\n\n"))
                    if line != nil { writing.yield() }
                }
                try await writer.finish(nil)
            })
    }
}

extension HTTPField.Name {
    /// Who may open the page and be reached by it.
    fileprivate static let openerPolicy = known("Cross-Origin-Opener-Policy")
    /// Who may load what is answered.
    fileprivate static let resourcePolicy = known("Cross-Origin-Resource-Policy")
    /// What the page tells the sites that it links to.
    fileprivate static let referrerPolicy = known("Referrer-Policy")
    /// Which devices the page may ask for.
    fileprivate static let permissionsPolicy = known("Permissions-Policy")

    private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
