// SPDX-License-Identifier: Apache-2.0

/// What is said where a longer context was asked for than a model knows.
enum ContextWarning {
    /// Warns on standard error where `requested` is beyond what the model was trained for.
    static func show(requested: Int?, trained: Int, console: Console) {
        guard let requested, requested > trained else { return }
        console.note("The model was trained for \(trained) tokens; beyond them its replies may make no sense.")
    }
}
