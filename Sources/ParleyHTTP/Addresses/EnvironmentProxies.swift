// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The proxies that environment variables name, read as libcurl does, which sends all requests on Linux.
package struct EnvironmentProxies: Sendable {
    private let environment: ProcessEnvironment

    /// Creates a value that reads an environment.
    package init(_ environment: ProcessEnvironment) { self.environment = environment }

    /// The proxy for the addresses of a scheme, `http` or `https`; nil for none.
    ///
    /// `HTTP_PROXY` names none: web servers put the header `Proxy` of a request into it for the programs that they start.
    package func proxy(for scheme: String) -> String? {
        let own = scheme == "http" ? ["http_proxy"] : ["\(scheme)_proxy", "\(scheme)_proxy".uppercased()]
        return (own + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first
    }

    /// Whether requests to an address go through a proxy; ranges of addresses among the exceptions do not count.
    package func carries(_ url: URL) -> Bool {
        guard proxy(for: (url.scheme ?? "").lowercased()) != nil, list != "*" else { return false }
        let host = (url.host(percentEncoded: false) ?? "").lowercased()
        let isName = IPAddress(literal: host) == nil
        return !exceptions.contains { host == $0 || isName && host.hasSuffix("." + $0) }
    }

    /// The hosts that are reached without a proxy, in small letters, as are names below them.
    var exceptions: [String] {
        list.lowercased().split { $0 == "," || $0 == " " }.map { String($0.first == "." ? $0.dropFirst() : $0) }
    }

    private var list: String { environment["no_proxy"] ?? environment["NO_PROXY"] ?? "" }
}
