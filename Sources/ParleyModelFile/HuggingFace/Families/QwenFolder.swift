// SPDX-License-Identifier: Apache-2.0

/// Qwen 2 and 2.5, with biases on queries, keys and values, and Qwen 3, with norms of queries and keys.
struct QwenFolder: FolderFamily {
    let architecture: String

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["silu"])
        return try config.sizes(context: 32_768) + FolderRotation(config).entries()
    }
}
