// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyMCP
import Testing

@Suite("The ledger of requests")
struct RequestLedgerTests {
    private func result(_ id: JSONValue) -> JSONValue { ["jsonrpc": "2.0", "id": id, "result": ["of": id]] }

    @Test("Answers find their requests in any order, and each only once")
    func order() {
        var ledger = RequestLedger()
        let ids = (0..<3).map { _ in ledger.begin() }
        #expect(ids == [1, 2, 3])
        for id in [3, 1, 2] {
            #expect(ledger.receive(result(.integer(id))) == .answered(id, ["of": .integer(id)]))
            #expect(ledger.receive(result(.integer(id))) == nil)
        }
        #expect(ledger.pending.isEmpty)
    }

    @Test("An answer to a request that was given up is ignored")
    func abandoned() {
        var ledger = RequestLedger()
        let id = ledger.begin()
        let abandonings = [ledger.abandon(id), ledger.abandon(id)]
        #expect(abandonings == [true, false])
        #expect(ledger.receive(result(.integer(id))) == nil)
    }

    @Test(
        "What is no message, or answers nothing, is ignored",
        arguments: [
            .null, [], [:], "text", ["id": 2, "result": [:]], ["jsonrpc": "1.0", "id": 2, "result": []],
            ["jsonrpc": "2.0", "id": "1", "result": [:]], ["jsonrpc": "2.0", "id": 1.5, "result": [:]],
            ["jsonrpc": "2.0", "id": 2, "result": [:]], ["jsonrpc": "2.0", "id": "1", "result": []],
            ["jsonrpc": "2.0", "id": 1], ["jsonrpc": "2.0", "id": 1, "method": "ping", "params": 1, "result": 2],
            ["jsonrpc": "2.0", "id": nil, "error": ["code": 1, "message": "?"]],
            ["jsonrpc": "2.0", "method": "ping", "id": nil], ["jsonrpc": "2.0", "method": "notifications/new"],
            ["jsonrpc": "2.0", "method": "notifications/message", "params": ["data": "a log"]],
            ["jsonrpc": "2.0", "method": "notifications/progress", "params": ["progressToken": 7, "progress": 1]],
        ] as [JSONValue])
    func noise(_ message: JSONValue) {
        var ledger = RequestLedger()
        #expect(ledger.begin() == 1)
        #expect(ledger.receive(message) == nil)
        #expect(ledger.pending == [1])
    }

    @Test(
        "An answer that cannot be read ends its request at once",
        arguments: [
            ["jsonrpc": "2.0", "id": 1, "result": []], ["jsonrpc": "2.0", "id": 1, "result": "done"],
            ["jsonrpc": "2.0", "id": 1, "result": nil], ["jsonrpc": "2.0", "id": 1, "error": "no"],
            ["id": 1, "result": [:]], ["jsonrpc": "1.0", "id": 1, "result": [:]],
        ] as [JSONValue])
    func damaged(_ answer: JSONValue) {
        var ledger = RequestLedger()
        let ids = [ledger.begin(), ledger.begin()]
        #expect(ids == [1, 2])
        let failure = RPCFailure(RPCFailure.invalidAnswer, "The answer cannot be read.")
        #expect(ledger.receive(answer) == .refused(1, failure))
        #expect(ledger.receive(answer) == nil)
        #expect(ledger.pending == [2])
    }

    @Test("Members that are null count as missing")
    func nullMembers() {
        var ledger = RequestLedger()
        let id = ledger.begin()
        #expect(
            ledger.receive(["jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": nil])
                == .changed(.tools))
        #expect(ledger.receive(["jsonrpc": "2.0", "id": 1, "result": [:], "error": nil]) == .answered(id, [:]))
    }

    @Test("A refusal ends its request")
    func refusal() {
        var ledger = RequestLedger()
        let id = ledger.begin()
        let event = ledger.receive(["jsonrpc": "2.0", "id": 1, "error": ["code": -32602, "message": "no"]])
        #expect(event == .refused(id, RPCFailure(-32602, "no")))
    }

    @Test("A ping is answered; sampling, roots and elicitation are declined")
    func requests() {
        var ledger = RequestLedger()
        #expect(
            ledger.receive(["jsonrpc": "2.0", "id": "a", "method": "ping"]) == .reply(.result(id: "a", [:])))
        for method in ["sampling/createMessage", "roots/list", "elicitation/create", "anything"] {
            let event = ledger.receive(["jsonrpc": "2.0", "id": 9, "method": .string(method), "params": [:]])
            guard case .reply(.failure(id: 9, let failure))? = event else {
                Issue.record("\(method) was not declined")
                continue
            }
            #expect(failure.code == -32601)
        }
    }

    @Test("Progress belongs to a request that waits, and changes of lists to none")
    func notifications() {
        var ledger = RequestLedger()
        let id = ledger.begin()
        let params: JSONValue = ["progressToken": 1, "progress": 2, "total": 4, "message": "on"]
        #expect(
            ledger.receive(["jsonrpc": "2.0", "method": "notifications/progress", "params": params])
                == .progress(id, MCPProgress(progress: 2, total: 4, message: "on")))
        for (name, change) in [("tools", MCPChange.tools), ("resources", .resources), ("prompts", .prompts)] {
            let method = JSONValue.string("notifications/\(name)/list_changed")
            #expect(ledger.receive(["jsonrpc": "2.0", "method": method]) == .changed(change))
        }
    }

    @Test("Too much of no use ends the connection; an answer begins the count anew")
    func flood() {
        var ledger = RequestLedger()
        for _ in 0..<RequestLedger.mostUseless { #expect(ledger.receive(.null) == nil) }
        let id = ledger.begin()
        _ = ledger.receive(result(.integer(id)))
        for _ in 0..<RequestLedger.mostUseless { #expect(ledger.receive(.null) == nil) }
        #expect(ledger.receive(.null) == .flooded)
    }
}
