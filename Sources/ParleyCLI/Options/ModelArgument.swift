// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyModels

extension ArgumentHelp {
    /// The help of every argument that names a model.
    static let model: ArgumentHelp = """
        A name ('parley models catalog'), hf:OWNER/REPO[:QUANT], the address or path of a .gguf file, or the path of a \
        folder in the form of Hugging Face.
        """
}

extension CompletionKind {
    /// Completes the name of a model or the path of a file.
    static let model = CompletionKind.custom { _, _, prefix in
        Catalog.builtIn.entries.map(\.name) + ModelPaths.completing(prefix)
    }
}
