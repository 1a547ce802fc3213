// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import ParleyJSON
import ParleyOpenAI

/// Gives the answer to a request that is no HTTP, or whose head is too long, the form of all errors, with an id that its
/// line of the log has too: below it the connection ends with an empty answer.
final class HeadFailure: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServerLimits
    private let record: () -> RequestRecord
    private var failure: ServerError?

    /// Creates a handler; `record` begins the record of a request that fails so.
    init(limits: ServerLimits, record: @escaping () -> RequestRecord) {
        self.limits = limits
        self.record = record
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError {
            failure =
                error == .headerOverflow
                ? ServerError(
                    431, .headTooLarge,
                    """
                    The head of a request has at most \(limits.headBytes >> 10) KiB and \(limits.headFields) fields. Send \
                    less in it.
                    """)
                : ServerError(400, .invalidHTTP, "The request is not valid HTTP/1.1.")
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // An answer to a request whose body is no HTTP has a body of its own.
        guard let failure, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        self.failure = nil
        let (text, record) = (failure.json.text(), record())
        head.status = HTTPResponse.Status(code: failure.status)
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = "\(text.utf8.count)"
        head.headerFields[.requestID] = record.id
        record.write(status: failure.status)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(context.channel.allocator.buffer(string: text))), promise: nil)
    }
}
