// SPDX-License-Identifier: Apache-2.0

extension CatalogEntry {
    var fileName: String { name + ".gguf" }
    var requiredBytes: Int64 { byteCount ?? 0 }
    var sha256: String { files.first?.sha256 ?? "" }
    var sources: [ModelSource] { manifest()?.files.first?.sources ?? [] }
}
