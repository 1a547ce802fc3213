// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Schemas beside an independent validator")
struct SchemaGoldenTests {
    @Test("There are at least 60 schemas with valid and invalid instances")
    func goldensArePresent() {
        #expect(GoldenSchema.all.count >= 60)
        #expect(GoldenSchema.keywords.count > 250)
    }

    @Test("Realistic schemas accept and reject the same values as the validator", arguments: GoldenSchema.all)
    func realSchemas(_ golden: GoldenSchema) throws {
        let program = try ConstraintProgram(schema: golden.schema)
        for (value, isValid) in golden.instances {
            #expect(program.accepts(value) == isValid, "\(value)")
        }
    }

    @Test("Each keyword accepts and rejects what the validator does", arguments: GoldenSchema.keywords)
    func keywords(_ golden: GoldenSchema) throws {
        guard golden.instances.contains(where: \.isValid) else {
            let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: golden.schema) }
            #expect(error?.code == .unsatisfiable)
            return
        }
        let program = try ConstraintProgram(schema: golden.schema)
        for (value, isValid) in golden.instances {
            #expect(program.accepts(value) == isValid, "\(value)")
        }
    }

    @Test("The validator that filters enum agrees too", arguments: GoldenSchema.all + GoldenSchema.keywords)
    func validator(_ golden: GoldenSchema) throws {
        let validator = try SchemaValidator(golden.schema)
        for (value, isValid) in golden.instances {
            #expect(try validator.accepts(value) == isValid, "\(value)")
        }
    }
}
