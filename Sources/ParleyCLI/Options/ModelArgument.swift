// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels
import ParleyPython

extension ArgumentHelp {
    /// The help of every argument that names a model.
    static let model: ArgumentHelp = """
        A name ('parley models catalog'), hf:OWNER/REPO[:QUANT], the address or path of a .gguf file, or the path of a \
        folder in the form of Hugging Face.
        """

    /// The help of the argument that names a model to fetch, which is not on this machine.
    static let fetchedModel: ArgumentHelp = """
        A name ('parley models catalog'), hf:OWNER/REPO[:QUANT], or the address of a .gguf file or of a LEAP manifest.
        """

    /// The help of options that limit the size of the store.
    static let quota = ArgumentHelp(
        "The maximum total size of all models, such as 20GB. (default: $PARLEY_MODELS_QUOTA)", valueName: "size")
}

extension CompletionKind {
    /// Completes the name of a model, of the catalog or installed, or the path of a file.
    static let model = CompletionKind.custom { _, _, prefix in textModels() + ModelPaths.completing(prefix) }

    /// Completes the name of a model that can be fetched.
    static let fetchedModel = CompletionKind.list(Catalog.builtIn.entries.map(\.name) + SpeechModelName.known)

    /// Completes the name of an installed model.
    static let installedModel = CompletionKind.custom { _, _, _ in ModelStore.ofCommands.list().map(\.name) }
}

/// The names of the models for text: those of the catalog, and others that are installed.
private func textModels() -> [String] {
    let known = Catalog.builtIn.entries.map(\.name)
    return known + ModelStore.ofCommands.list().filter { !$0.isSpeech && !known.contains($0.name) }.map(\.name)
}
