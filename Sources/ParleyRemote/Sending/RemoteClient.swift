// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyJSON
import ParleySystem

/// Sends requests to a server: again where that is safe, and with errors that say what to do.
struct RemoteClient: Sendable {
    let endpoint: RemoteEndpoint
    let http: any HTTPClient
    var policy = RetryPolicy()

    init(endpoint: RemoteEndpoint, http: any HTTPClient, clock: any Clock<Duration> = ContinuousClock()) {
        self.endpoint = endpoint
        self.http = http
        policy.attempts = max(endpoint.limits.attempts, 1)
        policy.firstDelay = .milliseconds(500)
        policy.longestRequestedDelay = endpoint.limits.longestWait
        policy.clock = clock
    }

    /// A refusal, with whether the server may accept the same request later.
    private struct Refusal: Error {
        var error: RemoteError
        var isPostponed: Bool
        var wait: Duration?
    }

    /// Sends a request until the server begins to answer, and passes a successful answer to a closure, once. The limit for
    /// the whole exchange holds for all attempts together, with the waits between them.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - secrets: what errors must not show.
    ///   - use: reads the answer.
    /// - Returns: the result of the closure.
    /// - Throws: ``RemoteError``, any error of the closure, or `CancellationError`.
    func withAnswer<Result: Sendable>(
        to request: HTTPRequest, hiding secrets: ServerMessage.Secrets, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let passed = policy.clock.stopwatch()
        func isOver(after delay: Duration) -> Bool { request.limits.whole.map { passed() + delay >= $0 } ?? false }
        var failures = 0
        while true {
            let (error, requested): (RemoteError, Duration?)
            var attempt = request
            attempt.limits.whole = request.limits.whole.map { max($0 - passed(), .zero) }
            do {
                return try await http.withResponse(to: attempt) { response in
                    guard response.status == 200 else { throw try await refusal(response, request, secrets) }
                    return try await use(response)
                }
            } catch let refusal as Refusal {
                guard refusal.isPostponed else { throw refusal.error }
                (error, requested) = (refusal.error, refusal.wait)
            } catch let failure as HTTPError {
                guard RetryRule.isUnsent(failure) else { throw self.error(failure) }
                (error, requested) = (self.error(failure), nil)
            }
            failures += 1
            guard let delay = policy.delay(failures: failures, requested: requested) else { throw error }
            // Nothing could come of an attempt after the end; the sleep may be longer than it should.
            if isOver(after: delay) { throw error }
            try await policy.clock.sleep(for: delay)
            if isOver(after: .zero) { throw error }
        }
    }

    /// The whole answer to a request, as JSON.
    ///
    /// - Throws: ``RemoteError``, or `CancellationError`.
    func json(_ request: HTTPRequest, hiding secrets: ServerMessage.Secrets) async throws -> JSONValue {
        let limit = min(endpoint.limits.answerBytes, 8 << 20)
        return try await withAnswer(to: request, hiding: secrets) { response in
            let body = try await response.body.collect(upTo: limit)
            do {
                return try JSONValue(parsing: body, limits: JSONLimits(depth: 64, bytes: limit))
            } catch {
                throw RemoteError(
                    .invalidAnswer,
                    "\(endpoint.host) answers something else than JSON; is this its address for programs?",
                    status: response.status, cause: error)
            }
        }
    }

    // MARK: - Errors

    private func refusal(
        _ response: HTTPResponse, _ request: HTTPRequest, _ secrets: ServerMessage.Secrets
    ) async throws -> Refusal {
        // What the server says of a failure is not worth another failure.
        let body = (try? await response.body.collect(upTo: 1 << 20)) ?? Data()
        try Task.checkCancellation()
        let said = ServerMessage(body, hiding: secrets)
        let isPostponed = RetryRule.isPostponed(
            status: response.status, headers: response.headers, serverCode: said.code)
        return Refusal(
            error: error(status: response.status, said, path: request.url.path), isPostponed: isPostponed,
            wait: response.headers.requestedWait())
    }

    /// The error for a server's refusal.
    func error(status: Int?, _ said: ServerMessage, path: String = "") -> RemoteError {
        let host = endpoint.host
        let quote = said.text.map { " The server says: \($0)" } ?? ""
        let (code, message): (RemoteError.Code, String) =
            switch status {
            case _ where said.isContextExceeded:
                (.contextExceeded, "The prompt does not fit into the model's context.\(quote)")
            case 401?, 403?:
                endpoint.key == nil
                    ? (.unauthorized, "\(host) wants a key.\(quote)")
                    : (.unauthorized, "\(host) does not accept this key.\(quote)")
            case 404? where said.isAboutModel:
                (.modelNotFound, "\(host) does not have this model.\(quote)")
            case 404?, 405?:
                (.wrongPath, "\(host) has nothing at \(path); most servers have their API under /v1.\(quote)")
            case 429?, 503?: (.overloaded, "\(host) cannot reply now.\(quote)")
            case .some(300..<400): (.wrongPath, "\(host) sends to another address; use that one.")
            case .some(400..<500): (.refused, "\(host) refuses the request (\(status ?? 0)).\(quote)")
            default: (.serverFailed, "\(host) has failed\(status.map { " (\($0))" } ?? "").\(quote)")
            }
        var error = RemoteError(code, message, status: status, serverCode: said.code)
        (error.promptTokens, error.contextTokens) = (said.promptTokens, said.contextTokens)
        return error
    }

    /// The error for an answer that is missing or incomplete.
    private func error(_ failure: HTTPError) -> RemoteError {
        switch failure.code {
        case .timedOut: RemoteError(.timedOut, failure.message, cause: failure)
        case .tooLarge: RemoteError(.invalidAnswer, failure.message, cause: failure)
        case .refusedRedirect: RemoteError(.wrongPath, failure.message, cause: failure)
        case .invalidRequest: RemoteError(.invalidAddress, failure.message, cause: failure)
        default:
            RetryRule.isUnsent(failure)
                ? RemoteError(
                    .unreachable, "There is no server at \(endpoint.host), or it cannot be reached.", cause: failure)
                : RemoteError(
                    .unreachable, "The connection to \(endpoint.host) was lost. \(failure.message)", cause: failure)
        }
    }
}
