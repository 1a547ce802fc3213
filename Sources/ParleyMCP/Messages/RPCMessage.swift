// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// A message of JSON-RPC 2.0, as the Model Context Protocol uses it.
package enum RPCMessage: Hashable, Sendable {
    /// Asks for an answer; the id is a string or an integer.
    case request(id: JSONValue, method: String, params: JSONValue?)
    /// Needs no answer.
    case notification(method: String, params: JSONValue?)
    /// The answer to a request.
    case result(id: JSONValue, JSONValue)
    /// The answer to a request that failed; the id is null if the other side could not read it.
    case failure(id: JSONValue, RPCFailure)

    /// Reads a message; nil if the value is none.
    package init?(_ json: JSONValue) {
        guard let members = json.object, members["jsonrpc"]?.string == "2.0" else { return nil }
        let id = members["id"]
        guard id.map(Self.isID) ?? true else { return nil }
        // Some servers write members that are not there as null.
        func member(_ name: String) -> JSONValue? { members[name]?.unlessNull }
        if let method = members["method"]?.string {
            let params = member("params")
            guard method.utf8.count <= 256, params.map({ $0.object != nil }) ?? true else { return nil }
            if let id {
                if id.isNull { return nil }
                self = .request(id: id, method: method, params: params)
            } else {
                self = .notification(method: method, params: params)
            }
        } else if let error = member("error") {
            guard let failure = RPCFailure(error), let id else { return nil }
            self = .failure(id: id, failure)
        } else if let id, !id.isNull, let result = members["result"], result.object != nil {
            self = .result(id: id, result)
        } else {
            return nil
        }
    }

    /// The message in JSON.
    package var json: JSONValue {
        var members: JSONObject = ["jsonrpc": "2.0"]
        switch self {
        case .request(let id, let method, let params):
            members["id"] = id
            members["method"] = .string(method)
            if let params { members["params"] = params }
        case .notification(let method, let params):
            members["method"] = .string(method)
            if let params { members["params"] = params }
        case .result(let id, let result):
            members["id"] = id
            members["result"] = result
        case .failure(let id, let failure):
            members["id"] = id
            members["error"] = failure.json
        }
        return .object(members)
    }

    /// The id of the request that this message is or answers; nil for a notification.
    package var id: JSONValue? {
        switch self {
        case .request(let id, _, _), .result(let id, _), .failure(let id, _): id
        case .notification: nil
        }
    }

    private static func isID(_ value: JSONValue) -> Bool {
        switch value {
        case .integer, .null: true
        case .string(let text): text.utf8.count <= 256
        default: false
        }
    }
}

/// Why a request failed, as the other side says.
package struct RPCFailure: Hashable, Sendable {
    /// The kind of failure.
    package var code: Int
    /// What happened, in the other side's words: untrusted.
    package var message: String
    /// More about it.
    package var data: JSONValue?

    /// Creates a failure.
    package init(_ code: Int, _ message: String, data: JSONValue? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    /// Reads the `error` of an answer.
    init?(_ json: JSONValue) {
        guard let code = json["code"]?.integer else { return nil }
        self.init(code, json["message"]?.string ?? "", data: json["data"])
    }

    var json: JSONValue {
        var members: JSONObject = ["code": .integer(code), "message": .string(message)]
        if let data { members["data"] = data }
        return .object(members)
    }

    /// The codes that are used here.
    package static let methodNotFound = -32601
    /// A request has parameters that the method does not allow.
    package static let invalidParameters = -32602
    /// An answer is none: its result is no object, or its error has no code. Only used within this client.
    package static let invalidAnswer = -32603
    /// The server does not speak the revision; it names those that it does.
    package static let unsupportedRevision = -32022
}
