// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ParleyOpenAI

/// Reads the body of a request within the limits, and the room that there is for all.
struct BodyReader: Sendable {
    private let limits: ServerLimits
    private let claim: RequestClaim
    private let askForBody: @Sendable () async throws -> Void

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limits: how long and large a body may be.
    ///   - claim: takes the room that the body needs.
    ///   - askForBody: tells the client to send a body, where it waits for that.
    init(_ limits: ServerLimits, claim: RequestClaim, askForBody: @escaping @Sendable () async throws -> Void) {
        (self.limits, self.claim) = (limits, claim)
        self.askForBody = askForBody
    }

    /// Reads the whole body of a request that has to be JSON.
    ///
    /// - Throws: ``ServerError`` with status 400, 408, 413, 415, 429 or 503; `CancellationError`.
    func json(_ request: Request) async throws -> [UInt8] {
        try Self.checkType(request.head)
        return try await bytes(request)
    }

    /// Reads the whole body of a request.
    ///
    /// - Throws: ``ServerError`` with status 400, 408, 413, 415, 429 or 503; any error of the connection.
    func bytes(_ request: Request) async throws -> [UInt8] {
        if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
            throw ServerError(
                415, .unsupportedMediaType, "The body is compressed. Send it as it is, without Content-Encoding.")
        }
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length {
            guard length <= limits.bodyBytes else { throw tooLarge }
            try claim.take(length)
        }
        if request.headers[.expect]?.lowercased() == "100-continue" { try await askForBody() }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                do {
                    return try await collect(request.body, length: length)
                } catch let error where !(error is CancellationError || error is ServerError) {
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

    /// Reads a body; one that does not tell its length takes room as it comes.
    private func collect(_ body: RequestBody, length: Int?) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length ?? 0)
        for try await part in body {
            guard bytes.count + part.readableBytes <= limits.bodyBytes else { throw tooLarge }
            if length == nil { try claim.take(part.readableBytes) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    /// Throws if a body is not JSON by its type. A form of another site cannot send that type.
    static func checkType(_ head: HTTPRequest) throws(ServerError) {
        let type = head.headerFields[.contentType] ?? ""
        let media = type.split(separator: ";", maxSplits: 1).first.map(String.init) ?? ""
        guard media.trimmingCharacters(in: .whitespaces).lowercased() == "application/json" else {
            throw ServerError(
                415, .unsupportedMediaType, "The body must be JSON. Send it as Content-Type: application/json.")
        }
    }

    private var tooLarge: ServerError {
        ServerError(
            413, .tooLarge, "The body is larger than \(limits.bodyBytes >> 20) MiB, which is the most that is taken.")
    }
}
