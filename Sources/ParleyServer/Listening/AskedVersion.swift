// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Answers each request in the version of HTTP that it is in, and says after which answer the connection ends.
///
/// What is above it in the pipeline knows no version, and ends a connection only after a request with `Connection: close`
/// in just that spelling. A client of HTTP/1.0 takes no chunks, and reads an answer without a length to the connection's
/// end, so that its connection is never kept.
///
/// Nor is one whose client offers another protocol, as those in Java do (`Upgrade: h2c`): the offer is not taken, but the
/// parser below reads nothing that comes after such a request.
final class AskedVersion: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Asked {
        var isOld: Bool
        var isKept: Bool
    }

    /// The requests that have not been answered to their end.
    private var asked: [Asked] = []

    /// Adds a handler to a pipeline, where the version is still known.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let place = ChannelPipeline.SynchronousOperations.Position.after(decoder)
        try pipeline.addHandler(AskedVersion(), position: place)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let isOld = head.version == .http1_0
        let offersOther = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
        let request = Asked(isOld: isOld, isKept: head.isKeepAlive && !isOld && !offersOther)
        asked.append(request)
        if !request.isKept { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        // Such a client does not know what an answer before the answer is (RFC 9110, 10.1.1).
        if isOld { head.headers.remove(name: "Expect") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard let request = asked.first, head.status.code >= 200 else { break }
            if request.isOld { head.version = .http1_0 }
            if !request.isKept { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end: if !asked.isEmpty { asked.removeFirst() }
        }
        context.write(data, promise: promise)
    }
}
