// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Foundation

    extension URLSessionConfiguration {
        /// Gives the environment's proxies precedence over the system's, as is usual for command-line tools.
        ///
        /// The keys are written as strings because iOS has no constants for HTTPS proxies.
        func useProxies(from environment: ProcessEnvironment) {
            var settings: [String: Any] = [:]
            let proxies = EnvironmentProxies(environment)
            for (scheme, key) in [("http", "HTTP"), ("https", "HTTPS")] {
                guard let value = proxies.proxy(for: scheme),
                    let url = URL(string: value.contains("://") ? value : "http://" + value), let host = url.host()
                else { continue }
                settings["\(key)Enable"] = 1
                settings["\(key)Proxy"] = host
                settings["\(key)Port"] = url.port ?? 8080
            }
            if settings.isEmpty { return }
            // Names below another one need a pattern of their own.
            settings["ExceptionsList"] = proxies.exceptions.flatMap { [$0, "*.\($0)"] }
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
