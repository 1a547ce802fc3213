// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyEngine
package import ParleyJSON
import ParleyRuntime
import ParleySystem

/// What `parley models fit` prints.
package struct FitReport {
    let model: String
    let fit: MemoryFit

    package init(model: String, fit: MemoryFit) {
        (self.model, self.fit) = (model, fit)
    }

    /// The verdict in one line.
    var verdict: String {
        switch fit.verdict {
        case .fits: "fits"
        case .fitsWithContext(let context):
            "fits with a context of \(useful(context)) tokens (--context \(useful(context)))"
        case .doesNotFit: "does not fit"
        }
    }

    /// What of a context is of use: no more than the model was trained for.
    private func useful(_ context: Int) -> Int {
        fit.plan.trainedContext > 0 ? min(context, fit.plan.trainedContext) : context
    }

    private var terms: [(name: String, size: ByteSize)] {
        [
            ("weights", fit.plan.weights), ("cache", fit.plan.cache(context: fit.context)),
            ("scratch", fit.plan.scratch(context: fit.context)), ("program", fit.plan.program),
        ]
    }

    /// The facts, with the names they have in JSON.
    package var json: JSONObject {
        var json: JSONObject = ["model": .string(model)]
        switch fit.verdict {
        case .fits: json["verdict"] = "fits"
        case .fitsWithContext(let context):
            json["verdict"] = "fits_with_context"
            json["largest_context"] = .integer(useful(context))
        case .doesNotFit: json["verdict"] = "does_not_fit"
        }
        json["context"] = .integer(fit.context)
        json["trained_context"] = .integer(fit.plan.trainedContext)
        for term in terms { json[term.name] = .integer(term.size.count) }
        json["total"] = .integer(fit.plan.total(context: fit.context).count)
        json["available"] = .integer(fit.memory.available)
        json["physical"] = .integer(fit.memory.physical)
        return json
    }

    /// The report as text.
    func text(style: TextStyle) -> String {
        func row(_ label: String, _ bytes: ByteSize, _ remark: String = "") -> String {
            let size = bytes.description
            let padding = String(repeating: " ", count: max(0, 10 - size.count))
            return style.dim(label.padded(to: 11)) + padding + size + (remark.isEmpty ? "" : "  " + remark) + "\n"
        }
        var text = PlainText.clean(model) + " " + verdict + "\n"
        for term in terms {
            text += row(term.name, term.size, term.name == "cache" ? "for \(fit.context) tokens" : "")
        }
        text += row("together", fit.plan.total(context: fit.context))
        let physical = ByteSize(clamping: fit.memory.physical)
        text += row("available", ByteSize(clamping: fit.memory.available), "of \(physical)")
        return text
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
