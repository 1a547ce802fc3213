// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import ParleyOpenAI

/// Reads the bodies of requests within the limits.
struct BodyReader: Sendable {
    private let limits: ServerLimits
    private let askForBody: @Sendable () async throws -> Void

    /// Creates a reader; `askForBody` tells the client to send a body, where it waits for that.
    init(_ limits: ServerLimits, askForBody: @escaping @Sendable () async throws -> Void) {
        self.limits = limits
        self.askForBody = askForBody
    }

    /// Reads the whole body of a request that has to be JSON.
    ///
    /// - Throws: ``ServerError`` with status 400, 408, 413 or 415; `CancellationError`.
    func json(_ request: Request) async throws -> [UInt8] {
        try Self.checkType(request.head)
        return try await bytes(request)
    }

    /// Reads the whole body of a request.
    ///
    /// - Throws: ``ServerError`` with status 408 or 413; any error of the connection.
    func bytes(_ request: Request) async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limits.bodyBytes {
            throw tooLarge
        }
        if request.headers[.expect]?.lowercased() == "100-continue" { try await askForBody() }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { [limits] in
                do {
                    let buffer = try await request.body.collect(upTo: limits.bodyBytes)
                    return Array(buffer.readableBytesView)
                } catch is NIOTooManyBytesError {
                    throw tooLarge
                } catch let error where !(error is CancellationError) {
                    // Chunks that are none, an end before the length that was told, a connection that breaks.
                    throw ServerError(
                        400, .invalidHTTP, "The body is not what the head of the request says. Send it whole.",
                        cause: error)
                }
            }
            group.addTask { [limits] in
                try await Task.sleep(for: limits.bodyTime)
                return nil
            }
            defer { group.cancelAll() }
            guard let bytes = try await group.next() ?? nil else {
                throw ServerError(408, .requestTimeout, "The body came too slowly. Send the request again.")
            }
            return bytes
        }
    }

    /// Throws if a body is not JSON by its type. A form of another site cannot send that type.
    static func checkType(_ head: HTTPRequest) throws(ServerError) {
        let type = head.headerFields[.contentType] ?? ""
        let media = type.split(separator: ";", maxSplits: 1).first.map(String.init) ?? ""
        guard media.filter({ $0 != " " }).lowercased() == "application/json" else {
            throw ServerError(
                415, .unsupportedMediaType, "The body must be JSON. Send it as Content-Type: application/json.")
        }
    }

    private var tooLarge: ServerError {
        ServerError(
            413, .tooLarge, "The body is larger than \(limits.bodyBytes >> 20) MiB, which is the most that is taken.")
    }
}
