// SPDX-License-Identifier: Apache-2.0

/// Why a template could not be parsed or rendered.
///
/// Messages name types, variables and constructs of the template. They contain no text of the input, unless the
/// template itself puts it into a `raise_exception`.
package struct TemplateError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        package let description: String

        /// The template violates the grammar of the language.
        package static let invalidSyntax = Code(description: "invalidSyntax")
        /// The template uses a feature of Jinja that is not supported here, such as `include`.
        package static let unsupported = Code(description: "unsupported")
        /// The template called `raise_exception`; the message is the template's own.
        package static let raisedByTemplate = Code(description: "raisedByTemplate")
        /// The template uses an undefined value.
        package static let undefinedValue = Code(description: "undefinedValue")
        /// An operation does not exist for values of these types.
        package static let wrongType = Code(description: "wrongType")
        /// An operation does not exist for these values, such as division by zero.
        package static let invalidValue = Code(description: "invalidValue")
        /// The template tried to change its input or to leave the sandbox.
        package static let forbidden = Code(description: "forbidden")
        /// Rendering took more steps than allowed.
        package static let tooManySteps = Code(description: "tooManySteps")
        /// The template, its evaluation or its values are nested deeper than allowed.
        package static let tooDeep = Code(description: "tooDeep")
        /// The rendered text is longer than allowed.
        package static let outputTooLong = Code(description: "outputTooLong")
        /// A string, a list or a number became larger than allowed.
        package static let valueTooLarge = Code(description: "valueTooLarge")
        /// The task in which the template was rendered was cancelled.
        package static let cancelled = Code(description: "cancelled")
        /// Rendering went on past its deadline.
        package static let timedOut = Code(description: "timedOut")
    }

    /// What kind of failure it is.
    package var code: Code
    /// What happened; for `raisedByTemplate` exactly what the template said.
    package var message: String
    /// The line of the template, counted from 1; nil where the error has no line.
    package internal(set) var line: Int?
    /// The construct of the template that failed, such as `filter 'join'`; nil where there is none.
    package internal(set) var construct: String?
    /// The underlying error, if any.
    package var cause: (any Error)?

    /// Creates an error.
    package init(
        _ code: Code, _ message: String, line: Int? = nil, construct: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        self.construct = construct
        self.cause = cause
    }

    /// The message with line and construct.
    package var description: String {
        let place = [line.map { "line \($0)" }, construct].compactMap(\.self).joined(separator: ", ")
        return place.isEmpty ? message : "\(place): \(message)"
    }

    /// This error with a line and construct, unless it has them already: the innermost ones are the most useful.
    @inline(never)
    func located(line: Int, construct: @autoclosure () -> String?) -> TemplateError {
        guard self.line == nil else { return self }
        var error = self
        error.line = line
        error.construct = construct()
        return error
    }
}
