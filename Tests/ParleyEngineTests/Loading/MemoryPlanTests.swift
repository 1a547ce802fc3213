// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import Testing

@Suite("Memory plan")
struct MemoryPlanTests {
    private static let mebibyte = 1 << 20

    private func plan(_ architecture: TinyArchitecture = .llama, context: Int = 100_000) throws -> MemoryPlan {
        var model = TinyModel(architecture)
        model.context = context
        return try MemoryPlan(GGUFFile(bytes: model.writer().encoded()[...]))
    }

    private func memory(_ available: Int) -> MachineMemory {
        MachineMemory(physical: 64 * Self.mebibyte, available: available)
    }

    @Test("the sum of its terms is the total, and grows with the context", arguments: TinyArchitecture.all)
    func addsUp(architecture: TinyArchitecture) throws {
        let plan = try plan(architecture)
        #expect(plan.weights > 0 && plan.scratch(context: 1) > 0)
        var last = ByteSize.zero
        for context in [1, 16, 17, 512, 100_000] {
            let terms = [
                plan.weights, plan.cache(context: context), plan.scratch(context: context), plan.program,
            ]
            #expect(plan.total(context: context) == terms.reduce(.zero, +))
            #expect(plan.cache(context: context) >= last)
            last = plan.cache(context: context)
        }
        // Two bytes for each key and value of two heads of 16, in the layers that attend.
        let alternates = ["lfm2", "lfm2moe", "qwen35", "qwen35moe"].contains(architecture.name)
        let isHybrid = alternates || architecture.name == "falcon-h1"
        // The last two of Gemma 4 attend to those of others.
        let others = architecture.name == "gemma4" ? 2 : 0
        let attending = alternates ? architecture.layers / 2 : architecture.layers - others
        #expect(last.count >= 100_000 * attending * 2 * 2 * 16 * 2)
        #expect(isHybrid || Double(last.count) < 1.2 * Double(100_000 * attending * 2 * 2 * 16 * 2))
    }

    @Test("what each thread keeps of the scores of attention counts, and grows with the context")
    func countsThreads() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let (one, many) = (try MemoryPlan(file, threads: 1), try MemoryPlan(file, threads: 65))
        let context = 100_000
        let more = many.scratch(context: context).count - one.scratch(context: context).count
        #expect(more >= 64 * context * 8 * MemoryLayout<Float>.stride)
        #expect(many.scratch(context: 2 * context) > many.scratch(context: context))
        #expect(many.scratch(context: .max) == .limit && many.scratch(context: .min) == many.scratch(context: 0))
    }

    @Test("the weights take what packing them takes", arguments: TensorEncoding.allCases)
    func countsWeights(encoding: TensorEncoding) async throws {
        var model = TinyModel(.lfm2)
        model.encoding = encoding
        let file = try GGUFFile(bytes: model.writer().encoded()[...])
        let plan = try MemoryPlan(file)
        let stored = file.tensors.reduce(0) { $0 + $1.byteRange.count }
        let weights = Double(plan.weights.count)
        #expect(weights > 0.9 * Double(stored) && weights < 1.4 * Double(stored))
    }

    @Test("the largest context is the largest that fits")
    func findsLargestContext() throws {
        let plan = try plan()
        for bytes in stride(from: plan.total(context: 128).count, to: plan.total(context: 20_000).count, by: 300_007) {
            let largest = try #require(plan.largestContext(within: bytes, limit: 50_000))
            #expect(plan.total(context: largest).count <= bytes)
            #expect(plan.total(context: largest + 1).count > bytes)
        }
        #expect(plan.largestContext(within: .max, limit: 777) == 777)
        #expect(plan.largestContext(within: plan.total(context: 127).count - 1, limit: 50_000) == nil)
        #expect(plan.largestContext(within: plan.total(context: 40).count, limit: 40) == 40)
    }

    @Test("without a request the context is the smallest of the trained, the usual and the fitting one")
    func choosesContext() throws {
        func chosen(_ plan: MemoryPlan, memory: MachineMemory) throws -> Int {
            try plan.context(requested: nil, usual: 8_192, memory: memory, name: "m.gguf")
        }
        let (plan, short) = (try plan(), try plan(context: 300))
        #expect(try chosen(plan, memory: memory(.max)) == 8_192)
        #expect(try chosen(short, memory: memory(.max)) == 300)
        #expect(try chosen(plan, memory: memory(plan.total(context: 1_024).count)) == 1_024)
    }

    @Test("a context longer than the trained one is allowed, one that does not fit into memory is not")
    func checksRequest() async throws {
        let plan = try plan(context: 300)
        #expect(try plan.context(requested: 4_000, usual: 8_192, memory: memory(.max), name: "m.gguf") == 4_000)
        for context in [0, -1, .min, .max, (1 << 24) + 1] {
            await expect(code: .invalidInput) {
                _ = try plan.context(requested: context, usual: 8_192, memory: memory(.max), name: "m.gguf")
            }
        }
    }

    @Test("a refusal names every term of the sum and the largest context that fits")
    func refusesWithTheSum() async throws {
        let plan = try plan()
        let memory = memory(plan.total(context: 2_000).count)
        let error = await expect(code: .insufficientMemory) {
            _ = try plan.context(requested: 90_000, usual: 8_192, memory: memory, name: "m.gguf")
        }
        let message = try #require(error).message
        for part in [
            "m.gguf", "weights \(plan.weights)", "cache for 90000 tokens \(plan.cache(context: 90_000))",
            "scratch \(plan.scratch(context: 90_000))", "program \(plan.program)", "= \(plan.total(context: 90_000))",
            "but \(ByteSize(clamping: memory.available)) are available of 67 MB", "A context of 2000 tokens would fit",
        ] {
            #expect(message.contains(part), "“\(part)” is not in “\(message)”")
        }
    }

    @Test("a refusal offers no context beyond the one that the model was trained for")
    func offersWhatIsOfUse() async throws {
        let plan = try plan(context: 300)
        let memory = memory(plan.total(context: 2_000).count)
        let error = await expect(code: .insufficientMemory) {
            _ = try plan.context(requested: 90_000, usual: 8_192, memory: memory, name: "m.gguf")
        }
        #expect(error?.message.contains("A context of 300 tokens would fit (--context 300).") == true)
    }

    @Test("where not even a short context fits, a smaller model is suggested")
    func suggestsSmallerModel() async throws {
        let plan = try plan()
        let memory = memory(plan.weights.count)
        for requested in [nil, 4_000] {
            let error = await expect(code: .insufficientMemory) {
                _ = try plan.context(requested: requested, usual: 8_192, memory: memory, name: "m.gguf")
            }
            #expect(error?.message.contains("choose a smaller model") == true)
        }
    }

    @Test("the machine has memory, and not more available than there is")
    func readsTheMachine() {
        let memory = MachineMemory.current()
        #expect(memory.available > 1 << 20)
        #expect(memory.available <= memory.physical)
        #expect(memory.physical < 1 << 46)
    }

    @Test(
        "the memory of a context of any size can be computed; an impossible one never fits",
        arguments: TinyArchitecture.all)
    func countsHostileContexts(architecture: TinyArchitecture) throws {
        let plan = try plan(architecture)
        for context in [(1 << 24) + 1, 1 << 40, Int.max] {
            #expect(plan.cache(context: context) == .limit)
            #expect(plan.total(context: context) == .limit)
            #expect(MemoryFit(plan, context: context, memory: memory(1 << 30)).verdict != .fits)
            #expect(try #require(plan.largestContext(within: 1 << 30, limit: context)) < 1 << 24)
        }
        for context in [0, -1, Int.min] {
            #expect(plan.cache(context: context) == plan.cache(context: 0))
            _ = MemoryFit(plan, context: context, memory: memory(1 << 30))
        }
        _ = MemoryFit(plan, context: .max, memory: memory(.max))
        #expect(plan.cache(context: 1 << 24) < .limit)
    }

    @Test("impossible numbers of threads are refused", arguments: [0, -1, 1_000_000_000, .max, .min])
    func refusesThreads(threads: Int) async throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        await expect(code: .invalidInput) { _ = try MemoryPlan(file, threads: threads) }
        await expect(code: .invalidInput) { _ = try await NativeModel.load(TinyModel().writer(), threads: threads) }
    }
}
