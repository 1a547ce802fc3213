// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("The work that compiling may take")
struct CompilationBudgetTests {
    /// A schema that takes about 100,000 steps to compile.
    private static let schema: JSONValue = ["type": "string", "pattern": "(a|b)*a(a|b){8}"]

    @Test("A cancelled task stops compiling, and values that are created once for the process stay valid")
    func cancellation() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: true) }?.code
        }
        #expect(await task.value == .cancelled)
        #expect(try ConstraintProgram(schema: ["type": ["number", "string"]]).accepts(1.5))
    }

    @Test("A deadline that has passed stops compiling")
    func deadline() throws {
        let error = #expect(throws: ConstraintError.self) {
            try ConstraintProgram(schema: Self.schema, deadline: .now - .seconds(1))
        }
        #expect(error?.code == .timedOut)
        #expect(throws: Never.self) { try ConstraintProgram(schema: Self.schema, deadline: .now + .seconds(3_600)) }
    }

    @Test("Too few steps are an error that says so", arguments: [-1, 0, 10, 10_000])
    func steps(_ count: Int) {
        let error = #expect(throws: ConstraintError.self) {
            try ConstraintProgram(schema: Self.schema, limits: ConstraintLimits(steps: count))
        }
        #expect(error?.code == .tooLarge)
    }
}
