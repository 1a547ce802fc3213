// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import ParleyRuntime

/// The option for the cache of keys and values.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How keys and values are cached (native engine only): q8_0 takes about half the memory.",
            valueName: "f16|q8_0"))
    var cacheType = CacheType.f16

    /// The option that makes another process of this program cache in the same way.
    var arguments: [String] { ["--cache-type", cacheType.rawValue] }
}
