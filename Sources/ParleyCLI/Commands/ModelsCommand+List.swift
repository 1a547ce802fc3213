// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyModels
import ParleyPython
import ParleySystem

extension ModelsCommand {
    /// `parley models list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the installed models.",
            discussion: "'parley models catalog' lists the models that can be requested by name.")

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let console = Console()
            let store = ModelStore.ofCommands
            try store.checkReadable()
            let models = store.list()
            if json { return console.write(try Self.json(models)) }
            for model in models {
                // Names, licences and origins come from untrusted sources.
                let license = model.manifest.license.map { PlainText.clean($0) + "; " } ?? ""
                let day = model.lastUsed.formatted(.iso8601.year().month().day())
                let reference = model.references.isEmpty ? "" : " (by reference)"
                let origin = model.origin.map { "  from \(PlainText.clean($0))\(reference)" }
                console.line("\(PlainText.clean(model.name))  \(model.byteCount)\(model.isSpeech ? "  speech" : "")")
                console.line(console.outputStyle.dim("  \(license)last used \(day)"))
                if let origin { console.line(console.outputStyle.dim(origin)) }
            }
            if models.isEmpty {
                console.note("No models are installed. 'parley models catalog' lists models to pull.")
            }
        }

        private struct Row: Encodable {
            var name: String
            var kind: String
            var path: String
            var bytes: ByteSize
            var lastUsed: Date
            var origin: String?
            var license: String?
            var isReference: Bool
            var files: [File]

            struct File: Encodable {
                var name: String
                var role: String
                var bytes: ByteSize?
                var sha256: String?
            }
        }

        private static func json(_ models: [InstalledModel]) throws -> String {
            let rows = models.map { model in
                Row(
                    name: model.name, kind: model.isSpeech ? "speech" : "text", path: model.url.path,
                    bytes: model.byteCount, lastUsed: model.lastUsed,
                    origin: model.origin, license: model.manifest.license, isReference: !model.references.isEmpty,
                    files: model.manifest.files.map {
                        Row.File(
                            name: $0.name, role: JSONName.of($0.role.rawValue), bytes: $0.byteCount, sha256: $0.sha256)
                    })
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return String(decoding: try encoder.encode(rows), as: UTF8.self) + "\n"
        }
    }
}

extension InstalledModel {
    /// Where the files came from: the host or package that delivered the first one, or the path of an imported file; nil
    /// where it is not known which of several sources did.
    fileprivate var origin: String? {
        guard let file = manifest.files.first, let first = file.sources.first else { return manifest.origin }
        if case .web(let url) = first, url.isFileURL { return url.path }
        if manifest.origin != name { return manifest.origin }
        return (file.delivered ?? (file.sources.count == 1 ? first : nil))?.title
    }
}
