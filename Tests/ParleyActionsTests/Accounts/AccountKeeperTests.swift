// SPDX-License-Identifier: Apache-2.0

import ParleyActions
import Synchronization
import Testing

@Suite("AccountKeeper", .timeLimit(.minutes(15)))
struct AccountKeeperTests {
    /// A server of accounts that answers when it is told to.
    private final class Server: Sendable {
        struct State {
            var begun = 0
            var problem: String?
            var time = ContinuousClock.now
        }

        let state = Mutex(State())
        private let (gate, opening) = AsyncStream<Void>.makeStream()

        func report(_ name: String) async -> AccountReport {
            var report = AccountReport(account: name)
            state.withLock { $0.begun += 1 }
            for await _ in gate { break }
            (report.problem, report.isOffline) = state.withLock { ($0.problem, $0.problem != nil) }
            return report
        }

        /// Lets so many synchronisations end.
        func open(_ count: Int = 1) { for _ in 0..<count { opening.yield() } }

        var begun: Int { state.withLock { $0.begun } }
    }

    private let server = Server()
    private let keeper: AccountKeeper

    init() {
        keeper = AccountKeeper(
            ["home"], interval: .seconds(100), now: { [server] in server.state.withLock { $0.time } },
            synchronisation: { [server] in await server.report($0) })
    }

    @Test("a change is sent, also one that comes while a synchronisation runs; nobody waits longer than they ask")
    func changes() async {
        await keeper.synchronise()
        #expect(await keeper.isSending == false)
        #expect(await keeper.settle(within: .milliseconds(1)) == false)
        // Several changes are sent together.
        for _ in 0..<3 { await keeper.change() }
        #expect(await keeper.isSending)
        server.open()
        #expect(await keeper.settle(within: .milliseconds(50)) == false)
        #expect(await keeper.isSending)
        server.open()
        #expect(await keeper.settle(within: .seconds(600)))
        #expect(await keeper.isSending == false)
        #expect(server.begun == 2)
    }

    @Test("trouble that lasts is told once, and again after it was over")
    func remarks() async {
        for (problem, told) in [("away", true), ("away", false), ("gone", true), (nil, false), ("gone", true)] {
            server.state.withLock { $0.problem = problem }
            server.open()
            await keeper.synchronise()
            #expect(await keeper.settle(within: .seconds(600)))
            let lines = problem.map { ["home: \($0) What you change here is sent later."] } ?? []
            #expect(await keeper.takeRemarks() == (told ? lines : []))
        }
    }

    @Test("it looks for the changes of others now and then, and a keeper without accounts does nothing")
    func refresh() async {
        server.open(10)
        await keeper.refresh()
        #expect(await keeper.settle(within: .seconds(600)))
        for seconds in [0, 99, 1, 5, 100] {
            server.state.withLock { $0.time += .seconds(seconds) }
            await keeper.refresh()
            #expect(await keeper.settle(within: .seconds(600)))
        }
        #expect(server.begun == 3)
        let none = AccountKeeper([]) { AccountReport(account: $0) }
        await none.change()
        #expect(await none.isSending == false)
        #expect(await none.settle(within: .zero))
    }

    @Test("one that is stopped lets go of a server that does not answer")
    func stopping() async {
        await keeper.change()
        await keeper.stop()
        #expect(await keeper.settle(within: .seconds(600)))
    }
}
