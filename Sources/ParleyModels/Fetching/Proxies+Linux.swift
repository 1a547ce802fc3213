// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import FoundationNetworking

    extension URLSessionConfiguration {
        /// Nothing is left to do: here URLSession stands on libcurl, which reads the environment itself.
        func useProxies(from environment: [String: String]) {}
    }
#endif
