// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Reads the declaration of an enum.
struct EnumReader {
    struct Case {
        /// The name as written in code, with backticks where needed.
        var name: String
        var plainName: String
        var values: [Value]
    }

    /// A value that is associated with a case.
    struct Value {
        /// Its label, or `_0` and so on.
        var name: String
        var shape: TypeShape
    }

    let access: String
    private(set) var cases: [Case] = []
    /// Whether the values are raw ones.
    private(set) var isRaw = false
    private(set) var hasCodingKeys = false
    /// The cases whose values have coding keys of their own.
    private(set) var casesWithKeys: Set<String> = []

    private static let rawTypes: Set<String> = [
        "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]
    private static let otherRawTypes: Set<String> = ["Character", "Double", "Float", "CGFloat", "Substring"]

    init(_ declaration: EnumDeclSyntax, _ diagnoser: inout Diagnoser) {
        access = declaration.modifiers.access
        let keys = declaration.codingKeys(named: "CodingKeys")
        hasCodingKeys = keys != nil
        if let type = declaration.inheritanceClause?.inheritedTypes.first?.type {
            let name = type.as(MemberTypeSyntax.self)?.name.text ?? type.trimmedDescription
            isRaw = Self.rawTypes.contains(name)
            if Self.otherRawTypes.contains(name) { diagnoser.report(.rawType(name), at: type) }
        }
        for member in declaration.memberBlock.members {
            guard let line = member.decl.as(EnumCaseDeclSyntax.self) else {
                if let condition = member.decl.as(IfConfigDeclSyntax.self) { Self.check(condition, &diagnoser) }
                continue
            }
            for element in line.elements {
                let name = element.name.plainText
                if !isRaw, let keys, !keys.contains(name) { diagnoser.report(.notInCodingKeys(name), at: element) }
                let own = declaration.codingKeys(named: name.prefix(1).uppercased() + name.dropFirst() + "CodingKeys")
                if own != nil { casesWithKeys.insert(name) }
                let values = Self.values(of: element, owner: declaration.name.text, keys: own, &diagnoser)
                cases.append(Case(name: element.name.trimmed.text, plainName: name, values: values))
            }
        }
        if cases.isEmpty { diagnoser.report(.noCases, at: declaration.name) }
    }

    private static func values(
        of element: EnumCaseElementSyntax, owner: String, keys: Set<String>?, _ diagnoser: inout Diagnoser
    ) -> [Value] {
        var values: [Value] = []
        for (index, parameter) in (element.parameterClause?.parameters ?? []).enumerated() {
            let label = parameter.firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0.plainText }
            let name = label ?? "_\(index)"
            if let keys, !keys.contains(name) { diagnoser.report(.notInCodingKeys(name), at: parameter) }
            guard let shape = TypeShape(parameter.type, owner: owner, &diagnoser) else { continue }
            values.append(Value(name: name, shape: shape))
        }
        return values
    }

    private static func check(_ condition: IfConfigDeclSyntax, _ diagnoser: inout Diagnoser) {
        for clause in condition.clauses {
            guard case .decls(let members) = clause.elements else { continue }
            for member in members {
                if member.decl.is(EnumCaseDeclSyntax.self) {
                    diagnoser.report(.conditionalProperty, at: member.decl)
                } else if let inner = member.decl.as(IfConfigDeclSyntax.self) {
                    check(inner, &diagnoser)
                }
            }
        }
    }
}
