// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTokenizer

/// Reads everything in a file and returns whether it opened; errors other than the module's are rethrown.
@discardableResult
func readEverything(_ bytes: ArraySlice<UInt8>) throws -> Bool {
    do {
        let file = try GGUFFile(bytes: bytes)
        for key in file.metadata.keys {
            guard let value = file.metadata[key] else { continue }
            blackHole(value.description.utf8.count, value.integers?.count, value.floats?.count, value.bools?.count)
            blackHole(value.strings?.count, value.string?.utf8.count, value.integer, value.bool == true ? 1 : 0)
        }
        for tensor in file.tensors {
            blackHole(tensor.typeName.utf8.count, (try? tensor.type)?.blockSize, tensor.elementCount)
            try file.withBytes(of: tensor) { blackHole(Int($0.first ?? 0) + Int($0.last ?? 0)) }
            file.releasePages(of: tensor)
        }
        blackHole(file.chatTemplate?.utf8.count, file.chatTemplateNames.count, file.samplingDefaults.topK)
        blackHole(file.quantization?.utf8.count, (try? file.architecture)?.utf8.count)
        // A damaged vocabulary is an error of its own; the file was readable nevertheless.
        if let description = try? file.tokenizerDescription() {
            blackHole(description.tokens.reduce(0) { $0 &+ $1.text.utf8.count }, description.merges.count)
        }
        return true
    } catch is ModelFileError {
        return false
    }
}

@inline(never)
private func blackHole(_ values: Int?...) {}

/// How many variants a robustness test tries for each one it usually tries; more for a long run by hand.
let variantFactor = ProcessInfo.processInfo.environment["PARLEY_FUZZ_FACTOR"].flatMap(Int.init) ?? 1

/// The model files and vocabularies that `scripts/fetch-references` fetched.
func referenceFiles() -> [URL] {
    return ["models", "llama.cpp/models"].flatMap { folder in
        let directory = References.url(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { $0.hasSuffix(".gguf") }.sorted().map { directory.appending(path: $0) }
    }
}
