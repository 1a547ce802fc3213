// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON

extension ChatTemplate {
    /// Renders the template to text without the marks of origin; see `render(_:constants:options:)`.
    ///
    /// - Throws: `TemplateError` as that does.
    package func renderText(
        _ context: JSONObject, constants: JSONObject = [:], options: RenderingOptions = RenderingOptions()
    ) throws(TemplateError) -> String {
        try render(context, constants: constants, options: options).map(\.text).joined()
    }
}
