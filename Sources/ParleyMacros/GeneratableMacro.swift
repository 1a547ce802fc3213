// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Generatable` into members of the type and an extension with the conformance.
struct GeneratableMacro: MemberMacro, ExtensionMacro {
    /// Generates the members; none if the type cannot be described, which the extension's expansion diagnoses.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        Expansion(of: node, declaration).members.map { DeclSyntax("\(raw: $0)") }
    }

    /// Generates the conformance and diagnoses everything that cannot be described. The errors are reported here
    /// because the compiler expands members only when one is looked up. The initialiser is generated here because as a
    /// member it would suppress the memberwise initialiser.
    ///
    /// - Throws: what swift-syntax throws where the text is no extension.
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let expansion = Expansion(of: node, declaration)
        for diagnostic in expansion.diagnoser.diagnostics { context.diagnose(diagnostic) }
        guard !expansion.members.isEmpty else { return [] }
        let body = expansion.initializer.map { "\n\($0)\n" } ?? ""
        let text = "extension \(type.trimmedDescription): ParleyGeneratable.Generatable {\(body)}"
        return [try ExtensionDeclSyntax("\(raw: text)")]
    }
}

/// What `@Generatable` adds to a declaration.
private struct Expansion {
    private(set) var members: [String] = []
    private(set) var initializer: String?
    private(set) var diagnoser = Diagnoser()

    init(of node: AttributeSyntax, _ declaration: some DeclGroupSyntax) {
        let description = Argument.description(of: node)
        if let structure = declaration.as(StructDeclSyntax.self) {
            if let generics = structure.genericParameterClause { diagnoser.report(.genericType, at: generics) }
            let writer = StructWriter(StructReader(structure, &diagnoser), description: description)
            members = writer.members
            initializer = writer.initializer
        } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
            if let generics = enumeration.genericParameterClause { diagnoser.report(.genericType, at: generics) }
            members = [EnumWriter(EnumReader(enumeration, &diagnoser), description: description).schema]
        } else {
            diagnoser.report(.notAValueType, at: declaration.introducer)
        }
        if !diagnoser.leavesTypeWhole { members = [] }
    }
}
