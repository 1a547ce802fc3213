// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyModelFile
import ParleySystem
import ParleyTesting
import Testing

@Suite("Memory plan: bounds")
struct MemoryPlanBoundsTests {
    @Test(
        "absurdly large contexts and budgets do not trap",
        arguments: [Int.min, -1, 0, 4_097, 1 << 40, .max])
    func bounds(number: Int) throws {
        let plan = try MemoryPlan(GGUFFile(bytes: TinyModel().writer().encoded()[...]))
        #expect(plan.total(context: number) >= plan.weights)
        if let fitting = plan.largestContext(within: number, limit: number) {
            #expect(fitting >= 128 && plan.total(context: fitting).fits(into: number))
        }
        #expect(plan.largestContext(within: 4_097, limit: 0) == nil)
    }

    @Test("sizes claimed by a server are added without a trap")
    func claims() throws {
        var writer = TinyModel().writer()
        writer.tensors += (0..<40).map { .init(name: "t\($0)", typeCode: 0, dimensions: [16, 16], bytes: []) }
        let beginnings = writer.split(tensorsPerPart: 1).map { part in
            var part = part
            if part.tensors[0].name.hasPrefix("t") && part.tensors[0].bytes.isEmpty {
                part.tensors[0].dimensions = [1 << 24, 1 << 23]
            }
            return (bytes: part.encoded()[...], size: ByteSize.limit)
        }
        let plan = try MemoryPlan(GGUFFile(beginnings: beginnings, name: "m"))
        #expect(plan.weights == .limit)
        #expect(plan.largestContext(within: 1 << 40, limit: 8_192) == nil)
    }
}
