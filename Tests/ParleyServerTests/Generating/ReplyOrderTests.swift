// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Testing

@Suite("Several replies to a request", .serialized, .timeLimit(.minutes(15)))
struct ReplyOrderTests {
    @Test("Replies with one prompt begin once the first of them writes, others at once, all in their order.")
    func order() {
        var order = ReplyOrder(firsts: [0, 0, 2, 2])
        #expect(order.next == 0)
        order.begin()
        #expect(order.next == nil)
        #expect(!order.isRoomFree)
        order.note(.writes(0))
        #expect(order.next == 1)
        order.begin()
        #expect(order.next == 2)
        order.begin()
        #expect(order.next == nil)
        order.note(.ended(1, hasOwnRoom: true))
        #expect(!order.isRoomFree)
        order.note(.ended(0, hasOwnRoom: false))
        #expect(order.isRoomFree)
        // The first of its prompt ends without having written anything.
        order.note(.ended(2, hasOwnRoom: true))
        #expect(order.next == 3)
        order.begin()
        #expect(order.next == nil)
        #expect(!order.isDone)
        order.note(.ended(3, hasOwnRoom: false))
        #expect(order.isDone)
    }

    @Test("Where there is room they run at the same time, and are answered in their order.")
    func together() async throws {
        let (first, second) = (Gate(), Gate())
        let runner = ScriptedRunner { _, number in
            number == 0
                ? ScriptedReply(steps: [.token("First reply, "), .wait(first), .token("done.")])
                : ScriptedReply(steps: [.token("Second reply, "), .wait(second), .token("done.")])
        }
        let answer = try await ServerTrial.with(runner) { trial in
            async let answer = trial.chat(["n": 2])
            await first.arrival()
            // It arrives only if the first one need not have ended.
            await second.arrival()
            second.open()
            first.open()
            return try await answer
        }
        let texts = answer.json["choices"]?.array?.map { $0["message"]?["content"]?.string }
        #expect(texts == ["First reply, done.", "Second reply, done."])
        #expect(answer.json["choices"]?.array?.map { $0["index"]?.integer } == [0, 1])
    }

    @Test("Where there is no room they run one after the other.")
    func inTurn() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, number in
            number == 0 ? ScriptedReply(steps: [.token("One, "), .wait(gate), .token("done.")]) : "Two."
        }
        let (waiting, answer) = try await ServerTrial.with(runner) {
            $0.parallel = 1
        } _: { trial in
            async let answer = trial.chat(["n": 2])
            await gate.arrival()
            let status = try await trial.ask(ServerTrial.get("/parley/v1/status")).json
            gate.open()
            return (status, try await answer)
        }
        #expect(waiting["models"]?[0]?["running"] == 1)
        #expect(answer.json["choices"]?.array?.map { $0["message"]?["content"]?.string } == ["One, done.", "Two."])
    }
}
