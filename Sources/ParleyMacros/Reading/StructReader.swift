// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Reads the declaration of a struct.
struct StructReader {
    let access: String
    private(set) var properties: [StoredProperty] = []
    private(set) var hasCodingKeys = false
    /// Whether the struct declares its own initialiser for decoding.
    private(set) var hasInitializer = false

    private let owner: String
    private let keys: Set<String>?

    init(_ declaration: StructDeclSyntax, _ diagnoser: inout Diagnoser) {
        access = declaration.modifiers.access
        owner = declaration.name.trimmed.text
        keys = declaration.codingKeys(named: "CodingKeys")
        hasCodingKeys = keys != nil
        for member in declaration.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                read(variable, &diagnoser)
            } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                let labels = initializer.signature.parameterClause.parameters.map(\.firstName.text)
                if labels == ["from"] { hasInitializer = true }
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                Self.check(condition, &diagnoser)
            }
        }
    }

    private mutating func read(_ variable: VariableDeclSyntax, _ diagnoser: inout Diagnoser) {
        guard variable.isPartOfValue else { return }
        if variable.modifiers.has(.lazy) { return diagnoser.report(.lazyProperty, at: variable) }
        // Attributes that begin with a capital letter are property wrappers or macros; the language's own do not.
        for attribute in variable.attributes.compactMap({ $0.as(AttributeSyntax.self) })
        where attribute.plainName != "Guide" && attribute.plainName.first?.isUppercase == true {
            return diagnoser.report(.wrapper(attribute.plainName), at: attribute)
        }
        // In `var a, b: Int` the type stands after the last name.
        var properties: [StoredProperty] = []
        var type: TypeSyntax?
        for binding in variable.bindings.reversed() where !binding.isComputed {
            type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
            if let property = property(binding, type, of: variable, &diagnoser) { properties.append(property) }
        }
        self.properties += properties.reversed()
    }

    private func property(
        _ binding: PatternBindingSyntax, _ type: TypeSyntax?, of variable: VariableDeclSyntax,
        _ diagnoser: inout Diagnoser
    ) -> StoredProperty? {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
            diagnoser.report(.tuplePattern, at: binding.pattern)
            return nil
        }
        let hasDefault = binding.initializer != nil
        if let keys, !keys.contains(name.plainText) {
            // Codable leaves such a property out, so it must have a default value.
            if !hasDefault { diagnoser.report(.notInCodingKeys(name.plainText), at: binding) }
            return nil
        }
        guard !hasDefault || variable.bindingSpecifier.tokenKind != .keyword(.let) else {
            diagnoser.report(.constantWithValue, at: binding)
            return nil
        }
        guard let type else {
            diagnoser.report(.missingType, at: binding)
            return nil
        }
        guard let shape = TypeShape(type, owner: owner, &diagnoser) else { return nil }
        return StoredProperty(
            name: name.trimmed.text, plainName: name.plainText, shape: shape, hasDefault: hasDefault,
            access: variable.modifiers.access, guide: Guide(variable.attributes, for: shape, &diagnoser))
    }

    private static func check(_ condition: IfConfigDeclSyntax, _ diagnoser: inout Diagnoser) {
        for clause in condition.clauses {
            guard case .decls(let members) = clause.elements else { continue }
            for member in members {
                if let variable = member.decl.as(VariableDeclSyntax.self), variable.isPartOfValue {
                    diagnoser.report(.conditionalProperty, at: variable)
                } else if let inner = member.decl.as(IfConfigDeclSyntax.self) {
                    check(inner, &diagnoser)
                }
            }
        }
    }
}
