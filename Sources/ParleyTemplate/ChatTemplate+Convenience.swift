// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON

extension ChatTemplate {
    /// Renders the template to plain text, without origins; see `render(_:constants:options:)`.
    ///
    /// - Throws: `TemplateError`, as `render(_:constants:options:)` does.
    package func renderText(
        _ context: JSONObject, constants: JSONObject = [:], options: RenderingOptions = RenderingOptions()
    ) throws(TemplateError) -> String {
        try render(context, constants: constants, options: options).map(\.text).joined()
    }
}
