// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySystem

/// Which files of a repository make up the model that was asked for.
struct HubFileChoice {
    /// The model: one file, or all parts of a split one in order.
    let model: [HubFile]
    /// What lets the model see, where the repository has it.
    let projector: HubFile?
    /// How the model's weights are stored, where the names tell.
    let quantization: String?

    /// Chooses.
    ///
    /// - Parameters:
    ///   - reference: what was asked for. A file must be there; a quantisation must be in a file's name; otherwise the
    ///     first of ``QuantizationName/preferred`` that is there is taken, and else the first file.
    ///   - files: the files of the repository.
    /// - Throws: ``ModelStoreError`` with code `notFound`, which names what there is.
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
                throw Self.missing("nothing stored as \(wanted)", reference, known)
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

    /// All models of a repository, each with its parts in order.
    private static func models(among files: [HubFile], _ reference: HubReference) throws -> [[HubFile]] {
        let weights = files.filter { $0.isModel && !$0.isProjector && !$0.name.lowercased().contains("imatrix") }
        guard !weights.isEmpty else {
            throw ModelStoreError(
                code: .notFound,
                message: "\(reference.repository) has no .gguf files. Look for a repository with GGUF in its name.")
        }
        var models: [[HubFile]] = []
        var places: [String: Int] = [:]
        for file in weights.sorted(by: { $0.path < $1.path }) {
            guard let part = SplitName(file.path) else {
                models.append([file])
                continue
            }
            // Parts come in order, because their numbers have leading zeros.
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
                code: .notFound, message: "Parts of the split files in \(reference.repository) are missing there.")
        }
        return whole
    }

    /// The model with weights stored so; of several the one with the shortest name, which is the plain one.
    private static func best(_ models: [[HubFile]], stored wanted: String) -> [HubFile]? {
        models.filter { QuantizationName.of($0[0].path) == wanted }.min { $0[0].path.count < $1[0].path.count }
    }

    /// Half precision is what most are published in and all that is needed.
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
            code: .notFound,
            message: "\(reference.repository) has \(what).\n"
                + (shown.isEmpty ? "See its page for what there is." : "There is: \(shown)."))
    }
}

/// A file of a repository, as the hub lists it.
struct HubFile: Hashable, Sendable {
    /// Its path in the repository.
    var path: String
    /// Its size.
    var byteCount: ByteSize?
    /// Its SHA-256 digest, which the hub knows for large files.
    var sha256: String?

    /// The last component of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isModel: Bool { ModelFormat.gguf.isFormat(ofFileNamed: path) }
    /// Whether it turns images into what a language model reads.
    var isProjector: Bool { isModel && name.lowercased().contains("mmproj") }
}
