// SPDX-License-Identifier: Apache-2.0

/// ERNIE 4.5, whose rows are in the order of the rotation already.
struct ErnieFolder: FolderFamily {
    let architecture = "ernie4_5"

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["silu"])
        return try config.sizes(context: 131_072, epsilon: 1e-5) + FolderRotation(config, base: 500_000).entries()
    }
}
