// SPDX-License-Identifier: Apache-2.0

import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The program that the compiler runs to expand the macros of ParleyGeneratable.
@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [GeneratableMacro.self, GuideMacro.self]
}
