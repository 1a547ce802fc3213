// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics

/// An error about a declaration that cannot be described by a schema, with a remedy.
struct Problem: DiagnosticMessage {
    let message: String
    let diagnosticID: MessageID
    var severity: DiagnosticSeverity { .error }

    private init(_ id: String, _ message: String) {
        self.message = message
        diagnosticID = MessageID(domain: "ParleyGeneratable", id: id)
    }

    // MARK: Types

    static let notAValueType = Problem("notAValueType", "'@Generatable' describes structs and enums only")
    static let genericType = Problem(
        "genericType", "'@Generatable' cannot describe a generic type; write one type for each kind of content")
    static let noCases = Problem("noCases", "An enum without cases has no values that could be generated")
    static func rawType(_ name: String) -> Problem {
        Problem("rawType", "Raw values of type '\(name)' cannot be generated; use String or an integer type")
    }

    // MARK: Properties

    static let missingType = Problem(
        "missingType", "A generated property needs an explicit type, such as 'var count: Int = 1'")
    static let tuplePattern = Problem("tuplePattern", "Declare each generated property on its own, with its type")
    static let constantWithValue = Problem(
        "constantWithValue", "A constant with a value cannot be generated; make it a 'var', or 'static'")
    static let lazyProperty = Problem("lazyProperty", "A lazy property cannot be generated; compute it instead")
    static let conditionalProperty = Problem(
        "conditionalProperty", "A stored property inside '#if' cannot be generated; declare it outside")
    static func wrapper(_ name: String) -> Problem {
        Problem("wrapper", "A property with '@\(name)' cannot be generated; keep the plain value in a property")
    }
    static func notInCodingKeys(_ name: String) -> Problem {
        Problem("notInCodingKeys", "'\(name)' is not in CodingKeys; add it there, or give it a default value")
    }

    // MARK: Types of properties

    static func type(_ name: String, _ remedy: String) -> Problem {
        Problem("type", "'\(name)' cannot be generated; \(remedy)")
    }
    static func dictionaryKey(_ name: String) -> Problem {
        Problem("dictionaryKey", "Keys of a generated dictionary are of type String, not '\(name)'")
    }

    // MARK: Guides

    static let guideOutsideGeneratable = Problem(
        "guideOutsideGeneratable", "'@Guide' has no effect here; attach '@Generatable' to the type")
    static let guideOnOther = Problem("guideOnOther", "'@Guide' describes stored properties only")
    static let secondGuide = Problem("secondGuide", "A property can have only one '@Guide'; put all rules into it")
    static let unknownRule = Problem(
        "unknownRule", "Write the rule out as '.range(…)', '.count(…)', '.pattern(…)' or '.anyOf(…)'")
    static func repeatedRule(_ name: String) -> Problem {
        Problem("repeatedRule", "'.\(name)' is given twice; use it once")
    }
    static func ruleDoesNotFit(_ rule: String, _ type: String, _ use: String) -> Problem {
        Problem("ruleDoesNotFit", "'.\(rule)' does not fit '\(type)': it \(use)")
    }
    static let emptyRange = Problem("emptyRange", "The lower bound is above the upper one")
    static let fractionalBound = Problem("fractionalBound", "The bound of an integer is an integer")
    static let noChoice = Problem("noChoice", "'.anyOf' needs at least one value")
    static func choiceOfOtherType(_ type: String) -> Problem {
        Problem("choiceOfOtherType", "'.anyOf' lists values that '\(type)' cannot have")
    }
}
