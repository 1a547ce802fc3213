// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTPTypes
import Synchronization

/// Notices that a client has closed its connection, also while its request waits or is being replied to, and closes
/// connections that send no head, or read nothing of what fills their buffers. It counts them too.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private struct State {
        var hasHead = false
        var isClosed = false
        var onClose: (@Sendable () -> Void)?
        /// Closes the connection unless its client reads.
        var stall: Scheduled<Void>?
    }

    /// No other lock is taken while this one is held: closures are called after its release.
    private let state = Mutex(State())
    private let headTime: TimeAmount
    private let unreadTime: TimeAmount
    private let metrics: ServerMetrics

    init(limits: ServerLimits, metrics: ServerMetrics) {
        headTime = TimeAmount(limits.headTime)
        unreadTime = TimeAmount(limits.unreadTime)
        self.metrics = metrics
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
        let channel = context.channel
        context.eventLoop.scheduleTask(in: headTime) { [self] in
            if !state.withLock({ $0.hasHead }) { channel.close(promise: nil) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { state.withLock { $0.hasHead = true } }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { closed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        closed()
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
            ? nil : context.eventLoop.scheduleTask(in: unreadTime) { channel.close(promise: nil) }
        let former = state.withLock { state in
            defer { state.stall = stall }
            return state.stall
        }
        former?.cancel()
        context.fireChannelWritabilityChanged()
    }

    private func closed() {
        let (action, stall) = state.withLock { state in
            state.isClosed = true
            defer { (state.onClose, state.stall) = (nil, nil) }
            return (state.onClose, state.stall)
        }
        stall?.cancel()
        action?()
    }
}
