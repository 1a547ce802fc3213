// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI
import ParleyServer
import Testing

@Suite("The room for bodies")
struct BodyRoomTests {
    @Test("A client has half of the room, all have the whole, and what is given back is there again.")
    func shares() throws {
        var room = BodyRoom(size: 100)
        try room.take(50, of: "a")
        let own = #expect(throws: ServerError.self) { try room.take(1, of: "a") }
        #expect(own?.status == 429 && own?.error.code == .rateLimitExceeded && own?.retryAfter == 1)
        try room.take(30, of: "b")
        try room.take(20, of: "c")
        let all = #expect(throws: ServerError.self) { try room.take(1, of: "c") }
        #expect(all?.status == 503 && all?.error.code == .queueFull && all?.retryAfter == 5)
        // What is refused takes nothing.
        room.giveBack(50, of: "a")
        try room.take(30, of: "c")
        try room.take(20, of: "a")
        #expect(throws: ServerError.self) { try room.take(1, of: "b") }
    }
}
