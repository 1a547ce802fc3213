// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySystem

/// Chooses the files of a repository that make up the requested model.
struct HubFileChoice {
    /// The model: one file, or all parts of a split file in order.
    let model: [HubFile]
    /// The image projector, if the repository has one.
    let projector: HubFile?
    /// The quantisation of the model, if the file name contains it.
    let quantization: String?

    /// Chooses the files for a reference.
    ///
    /// - Parameters:
    ///   - reference: the requested model. A file must exist; a quantisation must be part of a file's name; otherwise
    ///     the first quantisation of ``QuantizationName/preferred`` that exists is chosen, or else the first file.
    ///   - files: the files of the repository.
    /// - Throws: ``ModelStoreError`` with code `notFound`, which lists the available files or quantisations.
    init(_ reference: HubReference, among files: [HubFile]) throws {
        let candidates = try Self.models(among: files, reference)
        let chosen: [HubFile]
        if let path = reference.file {
            guard
                let match = candidates.first(where: { $0.contains { $0.path == path } })
                    ?? candidates.first(where: { $0.contains { $0.name == path } })
            else { throw Self.missing("no file \(path)", reference, Self.names(nearestTo: path, among: candidates)) }
            chosen = match
        } else if let wanted = reference.quantization {
            guard let match = Self.best(candidates, stored: wanted) else {
                let known = candidates.compactMap { QuantizationName.of($0[0].path) }
                throw Self.missing("no file with the quantisation \(wanted)", reference, known)
            }
            chosen = match
        } else {
            let match = QuantizationName.preferred.lazy.compactMap { Self.best(candidates, stored: $0) }.first
            chosen = match ?? candidates[0]
        }
        model = chosen
        quantization = QuantizationName.of(chosen[0].path)
        projector = Self.projector(among: files)
    }

    /// All models in a repository, each with its parts in order.
    private static func models(among files: [HubFile], _ reference: HubReference) throws -> [[HubFile]] {
        let weights = files.filter { $0.isModel && !$0.isProjector && !$0.name.lowercased().contains("imatrix") }
        guard !weights.isEmpty else {
            let isFolder = HubFolder(among: files) != nil
            throw ModelStoreError(
                .notFound,
                "\(reference.repository) has no .gguf files"
                    + (isFolder
                        ? ", but a folder of safetensors, which has no quantisations or projectors to choose: write "
                            + "hf:\(reference.repository)."
                        : ", and no config.json with model.safetensors. Look for a repository with GGUF in its name."))
        }
        var models: [[HubFile]] = []
        var places: [String: Int] = [:]
        for file in weights.sorted(by: { $0.path < $1.path }) {
            guard let part = SplitName(file.path) else {
                models.append([file])
                continue
            }
            // The listing is sorted by path, and part numbers have leading zeros, so the parts are in order.
            let key = "\(part.stem) \(part.count)"
            if let place = places[key] {
                models[place].append(file)
            } else {
                places[key] = models.count
                models.append([file])
            }
        }
        let whole = models.filter {
            $0.count == SplitName($0[0].path)?.count ?? 1 && $0.count < ModelManifest.mostFiles
        }
        guard !whole.isEmpty else {
            throw ModelStoreError(
                .notFound, "Parts of the split files in \(reference.repository) are missing there.")
        }
        return whole
    }

    /// The model with a quantisation. Of several, the one with the shortest name, which is the one without special
    /// variants.
    private static func best(_ models: [[HubFile]], stored wanted: String) -> [HubFile]? {
        models.filter { QuantizationName.of($0[0].path) == wanted }.min { $0[0].path.count < $1[0].path.count }
    }

    /// Prefers half precision (F16), in which most projectors are published; a higher precision brings nothing.
    private static func projector(among files: [HubFile]) -> HubFile? {
        let projectors = files.filter(\.isProjector).sorted { $0.path < $1.path }
        for wanted in ["F16", "BF16", "Q8_0", "F32"] {
            if let match = projectors.first(where: { QuantizationName.of($0.path) == wanted }) { return match }
        }
        return projectors.first
    }

    private static func names(nearestTo path: String, among models: [[HubFile]]) -> [String] {
        let names = models.map(\.[0].path)
        let near = nearestNames(to: path, among: Array(names.prefix(1_000)), limit: 4)
        return near.isEmpty ? names : near
    }

    private static func missing(_ what: String, _ reference: HubReference, _ known: [String]) -> ModelStoreError {
        let shown = known.prefix(12).joined(separator: ", ") + (known.count > 12 ? ", …" : "")
        return ModelStoreError(
            .notFound,
            "\(reference.repository) has \(what).\n"
                + (shown.isEmpty ? "See its page for the available files." : "Available: \(shown)."))
    }
}

/// A file of a repository, as the hub lists it.
struct HubFile: Hashable, Sendable {
    /// The path in the repository.
    var path: String
    /// The size in bytes.
    var byteCount: ByteSize?
    /// The SHA-256 digest, which the hub knows for large files only.
    var sha256: String?

    /// The last component of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isModel: Bool { ModelFormat.gguf.isFormat(ofFileNamed: path) }
    /// Whether the file is an image projector (`mmproj`).
    var isProjector: Bool { isModel && name.lowercased().contains("mmproj") }
}
