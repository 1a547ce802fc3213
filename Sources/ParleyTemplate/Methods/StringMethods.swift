// SPDX-License-Identifier: Apache-2.0

/// The methods of strings, by name.
enum StringMethods {
    typealias Method = @Sendable (Interpreter, MarkedText, CallArguments) throws(TemplateError) -> Value

    static let table: [String: Method] =
        changing
        .merging(splitting) { first, _ in first }
        .merging(searching) { first, _ in first }
        .merging(asking) { first, _ in first }

    /// A method without parameters that changes the case.
    static func converting(_ name: String, to letterCase: LetterCase) -> Method {
        { interpreter, text, arguments throws(TemplateError) in
            try arguments.expectNone(of: name)
            return .string(try text.converted(to: letterCase, interpreter.meter))
        }
    }
}
