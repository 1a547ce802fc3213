// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyHTTP
import ParleyJSON

/// The servers that a user has set up, in the form of file that other clients use too:
/// `{"mcpServers": {"files": {"command": "…", "args": ["…"], "env": {…}}, "web": {"url": "…", "headers": {…}}}}`.
///
/// Members that are not known are ignored.
public struct MCPSettings: Hashable, Sendable {
    /// The servers, in the order of the file, without those that are disabled.
    public var servers: [MCPServerSettings]

    /// Names servers.
    public init(servers: [MCPServerSettings]) { self.servers = servers }

    /// The largest size of a file in bytes.
    private static let mostBytes = 1 << 20

    /// Reads a file.
    ///
    /// - Throws: ``MCPError`` with code `invalidSettings`; the message names the file and the place.
    public init(contentsOf file: URL) throws {
        let place = file.lastPathComponent
        let bytes: Data
        do {
            bytes = try WholeFile.contents(of: file, limit: Self.mostBytes)
        } catch {
            throw MCPError(.invalidSettings, error.message, cause: error)
        }
        do {
            try self.init(parsing: String(decoding: bytes, as: UTF8.self))
        } catch let error as MCPError {
            throw MCPError(.invalidSettings, "\(place): \(error.message)", cause: error.cause)
        }
    }

    /// Reads the text of a file.
    ///
    /// - Throws: ``MCPError`` with code `invalidSettings`; the message names the server and the member.
    public init(parsing text: String) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: text, limits: JSONLimits(depth: 16, bytes: Self.mostBytes))
        } catch {
            let message = "It is no JSON: see line \(error.line), column \(error.column)."
            throw MCPError(.invalidSettings, message, cause: error)
        }
        guard let entries = json["mcpServers"]?.object else {
            throw MCPError(.invalidSettings, "The member mcpServers, an object with the servers by name, is missing.")
        }
        guard entries.count <= 64 else { throw MCPError(.invalidSettings, "More than 64 servers are named.") }
        servers = []
        for (name, entry) in entries where entry["disabled"]?.bool != true {
            servers.append(try MCPServerSettings(name: name, entry))
        }
    }
}

/// How one server is reached.
public struct MCPServerSettings: Hashable, Sendable {
    /// The ways to reach a server.
    public enum Way: Hashable, Sendable {
        /// It is a program of this machine.
        case program(command: String, arguments: [String], environment: [String: String])
        /// It is at an address, and each request has these headers.
        case address(URL, headers: [String: String])
    }

    /// The name.
    public var name: String
    /// How it is reached. Texts may hold `${NAME}` for variables of the environment.
    public var way: Way

    /// Names a server.
    public init(name: String, way: Way) { (self.name, self.way) = (name, way) }

    init(name: String, _ json: JSONValue) throws(MCPError) {
        guard !name.isEmpty, name.utf8.count <= 64 else {
            throw MCPError(.invalidSettings, "A server's name has 1 to 64 bytes; one has not.")
        }
        func invalid(_ member: String, _ expected: String) -> MCPError {
            MCPError(.invalidSettings, "The server \(name): \(member) must be \(expected).")
        }
        guard json.object != nil else { throw invalid("its entry", "an object with command or url") }
        func texts(_ member: String) throws(MCPError) -> [String: String] {
            guard let value = json[member], !value.isNull else { return [:] }
            guard let members = value.object, members.count <= 256 else {
                throw invalid(member, "an object with at most 256 texts")
            }
            var texts: [String: String] = [:]
            for (key, value) in members {
                guard let text = value.string, !key.isEmpty, !key.contains("="), !(key + text).utf8.contains(0) else {
                    throw invalid(member, "an object with texts")
                }
                texts[key] = text
            }
            return texts
        }
        self.name = name
        if let command = json["command"] {
            guard let command = command.string, !command.isEmpty, !command.utf8.contains(0) else {
                throw invalid("command", "the name or path of a program")
            }
            let arguments = json["args"]?.array ?? []
            guard json["args"].map({ $0.array != nil }) ?? true, arguments.count <= 256,
                arguments.allSatisfy({ $0.string?.utf8.contains(0) == false })
            else { throw invalid("args", "a list of at most 256 texts") }
            way = .program(
                command: command, arguments: arguments.compactMap(\.string), environment: try texts("env"))
        } else if let address = json["url"] ?? json["serverUrl"] {
            guard json["type"]?.string != "sse" else {
                throw invalid("type", "http: the older transport over server-sent events alone is not supported")
            }
            guard let url = address.string.flatMap({ URL(string: $0) }),
                url.isOfWeb, url.user() == nil
            else { throw invalid("url", "an address that begins with https:// or http://, without user and password") }
            way = .address(url, headers: try texts("headers"))
        } else {
            throw MCPError(.invalidSettings, "The server \(name) has neither command nor url.")
        }
    }
}
