// SPDX-License-Identifier: Apache-2.0

public import ParleyHTTP

extension MCPServerSettings {
    /// A client of the server, which is not connected yet.
    ///
    /// - Parameters:
    ///   - environment: the variables that texts of the settings may name, and of which programs receive some.
    ///   - http: sends the requests to servers that are at an address.
    ///   - limits: the limits of the connection.
    /// - Returns: the client.
    /// - Throws: ``MCPError`` with code `invalidSettings` if a variable is not set, or if the server is a program and
    ///   this system runs none.
    public func client(
        environment: ProcessEnvironment = .process, http: any HTTPClient = URLSessionClient(),
        limits: MCPLimits = MCPLimits()
    ) throws -> MCPClient {
        MCPClient(
            name: name, transport: try transport(environment: environment, http: http, limits: limits), limits: limits)
    }

    private func transport(
        environment: ProcessEnvironment, http: any HTTPClient, limits: MCPLimits
    ) throws(MCPError) -> any MCPTransport {
        switch way {
        case .program(let command, let arguments, _):
            #if os(macOS) || os(Linux)
                var words: [String] = []
                for argument in arguments { words.append(try filled(argument, environment)) }
                return ProcessTransport(
                    command: try filled(command, environment), arguments: words,
                    environment: try self.environment(from: environment), limits: limits)
            #else
                throw MCPError(.invalidSettings, "The server \(name) is a program, which this system does not run.")
            #endif
        case .address(let url, let headers):
            var values: [String: String] = [:]
            for (key, value) in headers { values[key] = try filled(value, environment) }
            return HTTPTransport(url: url, headers: HTTPHeaders(values), client: http, limits: limits)
        }
    }

    /// The variables of the server's program: those of the settings, and those of this process that programs need to
    /// start. Others, which may be secrets, are not passed on.
    ///
    /// - Parameter environment: the variables of this process.
    /// - Returns: the variables; none for a server that is at an address.
    /// - Throws: ``MCPError`` with code `invalidSettings` if a variable that the settings name is not set.
    public func environment(from environment: ProcessEnvironment) throws(MCPError) -> [String: String] {
        guard case .program(_, _, let own) = way else { return [:] }
        var result: [String: String] = [:]
        for name in Self.passedOn { result[name] = environment[name] }
        for (key, value) in own { result[key] = try filled(value, environment) }
        return result
    }

    private static let passedOn = [
        "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER", "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    ]

    /// A text with the values of the variables that it names as `${NAME}` or `${NAME:-value if it is not set}`.
    private func filled(_ text: String, _ environment: ProcessEnvironment) throws(MCPError) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { break }
            result += rest[..<start.lowerBound]
            let inner = rest[start.upperBound..<end]
            let split = inner.firstRange(of: ":-")
            let variable = String(inner[..<(split?.lowerBound ?? inner.endIndex)])
            if let value = environment[variable] {
                result += value
            } else if let split {
                result += inner[split.upperBound...]
            } else {
                throw MCPError(.invalidSettings, "The server \(name) needs the variable \(variable), which is not set.")
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
