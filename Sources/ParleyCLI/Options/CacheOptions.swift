// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import ParleyRuntime

/// The option for the cache of keys and values.
struct CacheOptions: ParsableArguments {
    @Option(help: .cacheType)
    var cacheType = CacheType.f16

    /// The option that makes another process of this program cache in the same way.
    var arguments: [String] { ["--cache-type", cacheType.rawValue] }
}
