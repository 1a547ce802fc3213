// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import ParleyRuntime

extension CacheType: ExpressibleByArgument {}
extension PowerPolicy: ExpressibleByArgument {}

extension ArgumentHelp {
    /// What `--cache-type` means.
    package static let cacheType = ArgumentHelp(
        "How keys and values are cached (native engine only): q8_0 takes about half the memory.",
        valueName: "f16|q8_0")

    /// What `--power` means.
    package static let power = ArgumentHelp(
        "Fewer threads on a battery and when the machine is hot, always all, or at most half (native engine only).",
        valueName: "automatic|performance|quiet")
}
