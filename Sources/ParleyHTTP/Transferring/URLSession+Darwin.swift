// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Foundation

    extension URLSessionConfiguration {
        /// Gives the environment's proxies precedence over the system's, as is usual for command-line tools.
        ///
        /// The keys are written as strings because iOS has no constants for HTTPS proxies.
        func useProxies(from environment: ProcessEnvironment) {
            var settings: [String: Any] = [:]
            for (scheme, key) in [("http", "HTTP"), ("https", "HTTPS")] {
                let names = ["\(scheme)_proxy", "\(scheme)_proxy".uppercased(), "all_proxy", "ALL_PROXY"]
                guard let value = names.lazy.compactMap({ environment[$0] }).first,
                    let url = URL(string: value.contains("://") ? value : "http://" + value), let host = url.host()
                else { continue }
                settings["\(key)Enable"] = 1
                settings["\(key)Proxy"] = host
                settings["\(key)Port"] = url.port ?? 8080
            }
            if settings.isEmpty { return }
            let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            settings["ExceptionsList"] = exceptions.split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            connectionProxyDictionary = settings
        }
    }

    extension OperationQueue {
        /// A serial queue for the events of a session; the system itself waits while an event is being handled.
        static func bounded() -> OperationQueue {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        }
    }
#endif
