// SPDX-License-Identifier: Apache-2.0

/// Why a template could not be parsed or rendered.
///
/// Messages name types, variables and constructs of the template. They contain no text of the input, unless the
/// template itself puts it into a `raise_exception`.
public struct TemplateError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure this is; more kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case syntax, unsupported, raised, undefined, type, value, forbidden, steps, depth, output, size
            case cancelled, deadline
        }
        private let kind: Kind

        /// The template violates the grammar of the language.
        public static let invalidSyntax = Code(kind: .syntax)
        /// The template uses a feature of Jinja that is not supported here, such as `include`.
        public static let unsupported = Code(kind: .unsupported)
        /// The template called `raise_exception`; the message is the template's own.
        public static let raisedByTemplate = Code(kind: .raised)
        /// The template uses an undefined value.
        public static let undefinedValue = Code(kind: .undefined)
        /// An operation does not exist for values of these types.
        public static let wrongType = Code(kind: .type)
        /// An operation does not exist for these values, such as division by zero.
        public static let invalidValue = Code(kind: .value)
        /// The template tried to change its input or to leave the sandbox.
        public static let forbidden = Code(kind: .forbidden)
        /// Rendering took more steps than allowed.
        public static let tooManySteps = Code(kind: .steps)
        /// The template, its evaluation or its values are nested deeper than allowed.
        public static let tooDeep = Code(kind: .depth)
        /// The rendered text is longer than allowed.
        public static let outputTooLong = Code(kind: .output)
        /// A string, a list or a number became larger than allowed.
        public static let valueTooLarge = Code(kind: .size)
        /// The task in which the template was rendered was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// Rendering went on past its deadline.
        public static let timedOut = Code(kind: .deadline)
    }

    /// What kind of failure this is.
    public let code: Code
    /// What happened; for `raisedByTemplate` exactly what the template said.
    public let message: String
    /// The line of the template, counted from 1; nil where the error has no line.
    public internal(set) var line: Int?
    /// The construct of the template that failed, such as `filter 'join'`; nil where there is none.
    public internal(set) var construct: String?
    /// The underlying error, if any.
    public let cause: (any Error)?

    init(
        _ code: Code, _ message: String, line: Int? = nil, construct: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        self.construct = construct
        self.cause = cause
    }

    /// The message with line and construct.
    public var description: String {
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
