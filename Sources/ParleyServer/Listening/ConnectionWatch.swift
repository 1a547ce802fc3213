// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTPTypes
import Synchronization

/// Notices that a client has closed its connection, also while its request waits or is being replied to, and closes
/// connections that send no head. It counts them too.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private struct State {
        var hasHead = false
        var isClosed = false
        var onClose: (@Sendable () -> Void)?
    }

    /// No other lock is taken while this one is held: closures are called after its release.
    private let state = Mutex(State())
    private let headTime: TimeAmount
    private let metrics: ServerMetrics

    init(headTime: Duration, metrics: ServerMetrics) {
        self.headTime = TimeAmount(headTime)
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

    private func closed() {
        let action = state.withLock { state in
            state.isClosed = true
            defer { state.onClose = nil }
            return state.onClose
        }
        action?()
    }
}
