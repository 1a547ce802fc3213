// SPDX-License-Identifier: Apache-2.0

package import Logging
import ParleyModelFile

extension Logger {
    /// Logs if a model has a shorter context than is usual, for lack of memory.
    ///
    /// - Parameters:
    ///   - context: the context that it was loaded for, in tokens.
    ///   - asked: the context that was asked for; nil for none.
    ///   - trained: the longest context that it was trained for; 0 if not known.
    package func record(context: Int, asked: Int?, trained: Int) {
        let usual = min(trained, UsualContext.tokens)
        guard asked == nil, context < usual else { return }
        notice(
            "Memory allows only a shorter context than is usual.",
            metadata: ["context": "\(context)", "usual": "\(usual)"])
    }
}
