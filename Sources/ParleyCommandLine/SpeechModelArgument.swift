// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ParleyModels

extension CompletionKind {
    /// Completes the name of a speech model.
    package static let speechModel = CompletionKind.list(SpeechCatalog.builtIn.entries.map(\.name))
}
