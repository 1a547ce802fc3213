// SPDX-License-Identifier: Apache-2.0

/// The warning about a context longer than the model was trained for.
enum ContextWarning {
    /// Warns on standard error where `requested` is beyond what the model was trained for.
    static func show(requested: Int?, trained: Int, console: Console) {
        guard let requested, requested > trained else { return }
        console.note("The model was trained for \(trained) tokens; beyond them its replies may make no sense.")
    }
}
