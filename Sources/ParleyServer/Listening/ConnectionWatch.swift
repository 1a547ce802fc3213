// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Synchronization

/// Notices that a client has closed its connection, also while its request waits or is being replied to, and closes
/// connections whose heads take too long, or bodies that are not wanted, or that read nothing of what fills their buffers.
/// It counts them too, and tells clients that wait to be asked for a body that it is wanted.
///
/// A connection that ends with an answer to a request of which more comes lingers: what comes is read and dropped, within
/// the limits of a body, before it is closed ([RFC 9112, 9.6](https://www.rfc-editor.org/rfc/rfc9112#section-9.6)). Closed
/// at once it would be reset, and many clients never see an answer that comes while they send.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private struct State {
        /// Whether what comes next is a head.
        var awaitsHead = true
        /// Whether no request has come yet.
        var isFresh = true
        /// Whether the connection is to end, and only waits for its first request.
        var endsAfterFirst = false
        /// How many requests have not been answered to their end.
        var unanswered = 0
        /// Closes the connection unless its head comes.
        var headLimit: Scheduled<Void>?
        /// Closes the connection unless the rest of a body comes whose request has been answered already.
        var bodyLimit: Scheduled<Void>?
        /// Whether the answer says that it is the last one of the connection.
        var isLast = false
        /// Whether the connection is to be closed, and what comes is dropped until then.
        var lingers = false
        /// How many bytes have been dropped.
        var dropped = 0
        var isClosed = false
        var onClose: (@Sendable () -> Void)?
        /// Closes the connection unless its client reads.
        var stall: Scheduled<Void>?

        /// Drops bytes that have come.
        ///
        /// - Returns: whether they are more than are read.
        mutating func drop(_ bytes: ByteBuffer, most: Int) -> Bool {
            dropped += bytes.readableBytes
            return dropped > most
        }

        /// Begins to linger, if the last answer has been given and more of its request comes.
        mutating func linger() -> Bool {
            guard isLast, !lingers, unanswered == 0, !awaitsHead, !isClosed else { return false }
            lingers = true
            return true
        }
    }

    /// No other lock is taken while this one is held: closures are called after its release.
    private let state = Mutex(State())
    private let headTime: TimeAmount
    private let bodyTime: TimeAmount
    private let bodyBytes: Int
    private let unreadTime: TimeAmount
    private let metrics: ServerMetrics
    private let lastRequestTime: TimeAmount
    private let answersFirst: Bool

    /// Creates the watch of a connection.
    ///
    /// - Parameters:
    ///   - limits: how long heads, bodies and unread answers may take, and how large bodies may be.
    ///   - metrics: what counts connections.
    ///   - answersFirst: whether the first request of a connection is waited for, for a moment, when the server ends: where
    ///     the next server takes over at once, nobody who has just connected is turned away.
    init(limits: ServerLimits, metrics: ServerMetrics, answersFirst: Bool = false) {
        headTime = TimeAmount(limits.headTime)
        bodyTime = TimeAmount(limits.bodyTime)
        bodyBytes = limits.bodyBytes
        unreadTime = TimeAmount(limits.unreadTime)
        lastRequestTime = TimeAmount(limits.lastRequestTime)
        self.metrics = metrics
        self.answersFirst = answersFirst
    }

    /// Sets what is done when the client goes, in place of what was set before; done at once if it has gone already.
    func onClose(_ action: (@Sendable () -> Void)?) {
        let isClosed = state.withLock { state in
            state.onClose = action
            return state.isClosed
        }
        if isClosed { action?() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { metrics.connectionEnded() }

    func handlerAdded(context: ChannelHandlerContext) {
        metrics.connected()
        limitHead(context)
        // It fails only where the connection is gone already.
        try? AskedVersion.add(to: context.pipeline.syncOperations)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if drops(part, context) { return }
        switch part {
        case .head:
            let (limit, ends) = state.withLock { state in
                (state.awaitsHead, state.unanswered, state.isFresh) = (false, state.unanswered + 1, false)
                return (state.headLimit.take(), state.endsAfterFirst)
            }
            limit?.cancel()
            if ends {
                context.fireChannelRead(data)
                return context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            }
        case .end:
            let limit = state.withLock { state in
                state.awaitsHead = true
                return state.bodyLimit.take()
            }
            limit?.cancel()
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Bytes have come that are no whole head yet; further ones do not extend its time.
        let hasBegun = state.withLock { $0.awaitsHead && $0.unanswered == 0 && $0.headLimit == nil && !$0.isClosed }
        if hasBegun { limitHead(context) }
        context.fireChannelReadComplete()
        // Nobody else asks for more any more.
        if lingers { context.read() }
    }

    private var lingers: Bool { state.withLock { $0.lingers } }

    /// Whether a part of a request is dropped, because the connection lingers; with the last one it is closed.
    private func drops(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) -> Bool {
        let (drops, isLast) = state.withLock { state in
            guard state.lingers else { return (false, false) }
            switch part {
            case .head: return (true, false)
            case .body(let bytes): return (true, state.drop(bytes, most: bodyBytes))
            case .end: return (true, true)
            }
        }
        if isLast { context.close(promise: nil) }
        return drops
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard case .all = mode, state.withLock({ $0.linger() }) else {
            return context.close(mode: mode, promise: promise)
        }
        // The time of the body that comes has been limited when the answer ended.
        context.channel.closeFuture.cascade(to: promise)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    /// Closes the connection, whatever comes.
    private func end(_ channel: any Channel) {
        state.withLock { $0.isLast = false }
        channel.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headerFields[.connection] == "close" { state.withLock { $0.isLast = true } }
        case .body: break
        case .end:
            let hasBody = state.withLock { state in
                state.unanswered -= 1
                return state.unanswered == 0 && !state.awaitsHead && !state.isClosed
            }
            if hasBody { limitBody(context) }
        }
        context.write(data, promise: promise)
    }

    /// Limits the time of a body that is read only to come to the next request, or to end.
    private func limitBody(_ context: ChannelHandlerContext) {
        let channel = context.channel
        let limit = context.eventLoop.scheduleTask(in: bodyTime) { [self] in end(channel) }
        state.withLock { $0.bodyLimit = limit }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }

    private func limitHead(_ context: ChannelHandlerContext) { limitHead(context, to: headTime) }

    private func limitHead(_ context: ChannelHandlerContext, to time: TimeAmount) {
        let channel = context.channel
        let limit = context.eventLoop.scheduleTask(in: time) { [self] in end(channel) }
        let former = state.withLock { state in
            defer { state.headLimit = limit }
            return state.headLimit
        }
        former?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            closed()
            if lingers { context.close(promise: nil) }
        }
        if answersFirst, event is ChannelShouldQuiesceEvent {
            let waits = state.withLock { state in
                state.endsAfterFirst = state.isFresh && !state.isClosed
                return state.endsAfterFirst
            }
            if waits { return limitHead(context, to: lastRequestTime) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError {
            // Nothing more is made of what comes, but the client is still there: it may send on, for as long as the limits
            // of time say, and reads the answer to what came before.
        } else if case .dataReceivedInErrorState(_, let bytes)? = error as? ByteToMessageDecoderError {
            // What comes after that is no part of a request.
            let isTooMuch = state.withLock { $0.drop(bytes, most: bodyBytes) }
            if isTooMuch { context.close(promise: nil) }
        } else {
            closed()
            if lingers { context.close(promise: nil) }
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let channel = context.channel
        let stall =
            channel.isWritable
            ? nil : context.eventLoop.scheduleTask(in: unreadTime) { [self] in end(channel) }
        let former = state.withLock { state in
            defer { state.stall = stall }
            return state.stall
        }
        former?.cancel()
        context.fireChannelWritabilityChanged()
    }

    private func closed() {
        let (action, limits) = state.withLock { state in
            state.isClosed = true
            return (state.onClose.take(), [state.stall.take(), state.headLimit.take(), state.bodyLimit.take()])
        }
        for limit in limits { limit?.cancel() }
        action?()
    }
}

/// An event of a connection: the body of a request is going to be read, whose client sends it only once it is told so
/// (`Expect: 100-continue`). Clients that are told nothing wait for a second or longer.
struct BodyWanted {}
