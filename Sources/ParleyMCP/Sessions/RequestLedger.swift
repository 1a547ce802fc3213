// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// The requests of one side of a connection that wait for their answers, and what is to be done about each message of
/// the other side.
///
/// A pure state machine: it knows neither time nor transport. Answers may come in any order; one that cannot be read is a
/// refusal. Answers to nothing, messages that are none, and kinds that are not known are ignored, but counted: a server
/// that sends little else is not worth its connection.
package struct RequestLedger: Sendable {
    /// What a message means for the connection.
    package enum Event: Hashable, Sendable {
        /// A request was answered.
        case answered(Int, JSONValue)
        /// A request was refused.
        case refused(Int, RPCFailure)
        /// A request goes on.
        case progress(Int, MCPProgress)
        /// A list of the server has changed.
        case changed(MCPChange)
        /// A message is to be sent.
        case reply(RPCMessage)
        /// The connection is to be closed, because the server sends too much that is of no use.
        case flooded
    }

    /// The largest number of messages of no use between two answers.
    package static let mostUseless = 1_000
    /// The largest number of notifications and requests of the server between two answers.
    package static let mostUnasked = 100_000

    private var next = 1
    private var waiting: Set<Int> = []
    private var useless = 0
    private var unasked = 0

    /// Creates a ledger without requests.
    package init() {}

    /// The requests that wait for an answer.
    package var pending: Set<Int> { waiting }

    /// A number for a new request, which is its id and the token of its progress.
    package mutating func begin() -> Int {
        defer { next += 1 }
        waiting.insert(next)
        return next
    }

    /// Forgets a request; its answer is ignored from now on.
    ///
    /// - Returns: whether it was still waiting.
    package mutating func abandon(_ id: Int) -> Bool { waiting.remove(id) != nil }

    /// Forgets all requests, because the connection has ended; returns them.
    package mutating func abandonAll() -> Set<Int> {
        defer { waiting = [] }
        return waiting
    }

    /// Takes a message of the other side; returns what it means, or nil if it means nothing.
    package mutating func receive(_ json: JSONValue) -> Event? {
        guard let message = RPCMessage(json) else { return receivedDamaged(json) }
        switch message {
        case .result(let id, let result):
            guard let id = take(id) else { return receivedUseless() }
            return .answered(id, result)
        case .failure(let id, let failure):
            guard let id = take(id) else { return receivedUseless() }
            return .refused(id, failure)
        case .notification(let method, let params):
            return receivedUnasked() ?? event(of: method, params)
        case .request(let id, let method, _):
            return receivedUnasked() ?? .reply(Self.answer(to: method, id))
        }
    }

    private mutating func take(_ id: JSONValue) -> Int? {
        guard let id = id.integer, waiting.remove(id) != nil else { return nil }
        (useless, unasked) = (0, 0)
        return id
    }

    /// An answer that cannot be read ends its request, which would wait in vain for another one.
    private mutating func receivedDamaged(_ json: JSONValue) -> Event? {
        guard json["method"] == nil, json["result"] != nil || json["error"] != nil, let id = json["id"],
            let number = take(id)
        else { return receivedUseless() }
        return .refused(number, RPCFailure(RPCFailure.invalidAnswer, "The answer cannot be read."))
    }

    private mutating func receivedUseless() -> Event? {
        useless += 1
        return useless > Self.mostUseless ? .flooded : nil
    }

    private mutating func receivedUnasked() -> Event? {
        unasked += 1
        return unasked > Self.mostUnasked ? .flooded : nil
    }

    private mutating func event(of method: String, _ params: JSONValue?) -> Event? {
        switch method {
        case "notifications/progress":
            guard let id = params?["progressToken"]?.integer, waiting.contains(id),
                let progress = params.flatMap(MCPProgress.init)
            else { return receivedUseless() }
            return .progress(id, progress)
        case "notifications/tools/list_changed": return .changed(.tools)
        case "notifications/resources/list_changed": return .changed(.resources)
        case "notifications/prompts/list_changed": return .changed(.prompts)
        default: return nil
        }
    }

    /// Requests of the server that this client offered nothing for (sampling, roots, elicitation) are declined.
    private static func answer(to method: String, _ id: JSONValue) -> RPCMessage {
        if method == "ping" { return .result(id: id, [:]) }
        return .failure(id: id, RPCFailure(RPCFailure.methodNotFound, "This client does not offer that."))
    }
}

/// How far a request has come.
public struct MCPProgress: Hashable, Sendable {
    /// The progress, which grows.
    public var progress: Double
    /// The progress at the end, if the server knows it.
    public var total: Double?
    /// What the server is doing, in its words: untrusted, at most 200 characters.
    public var message: String?

    /// Creates a progress.
    public init(progress: Double, total: Double? = nil, message: String? = nil) {
        (self.progress, self.total, self.message) = (progress, total, message)
    }

    init?(_ json: JSONValue) {
        guard let progress = json["progress"]?.number, progress.isFinite else { return nil }
        let total = json["total"]?.number.flatMap { $0.isFinite ? $0 : nil }
        self.init(progress: progress, total: total, message: json["message"]?.string.map { String($0.prefix(200)) })
    }
}

/// A list of a server that may have changed.
public enum MCPChange: Hashable, Sendable {
    /// The tools.
    case tools
    /// The resources.
    case resources
    /// The prompts.
    case prompts
}
