// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// How a folder of sentence-transformers makes one vector of a text's tokens.
enum FolderPooling {
    /// The metadata, read from `modules.json` and the file of its pooling; none if there is no such file.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedModel` for a pooling that GGUF files have no number for.
    static func entries(in folder: FolderLocation, architecture: String) throws(ModelFileError) -> [GGUFEntry] {
        guard let modules = try FolderDocument("modules.json", in: folder) else { return [] }
        for module in try modules.json().array ?? [] {
            guard module["type"]?.string?.hasSuffix(".Pooling") == true, let path = module["path"]?.string,
                !path.isEmpty, !path.contains("/"), !path.hasPrefix("."),
                let file = try FolderDocument("\(path)/config.json", in: folder)
            else { continue }
            let settings = try file.json()
            let kinds = [
                ("pooling_mode_mean_tokens", 1), ("pooling_mode_cls_token", 2), ("pooling_mode_lasttoken", 3),
            ]
            for (key, number) in kinds where settings[key]?.bool == true {
                return [GGUFEntry("\(architecture).pooling_type", .uint32(UInt32(number)))]
            }
            throw FolderConfiguration(settings, fileName: file.name).unsupported("the pooling is of another kind")
        }
        return []
    }
}
