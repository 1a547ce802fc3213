// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleySystem
import Synchronization
import Testing

@Suite("Power policy")
struct PowerPolicyTests {
    private let all = StepLimits(threads: 8, rows: 256)

    @Test(
        "the hotter the machine and the less its battery has left, the less steps use",
        arguments: [
            (MachineCondition(), 8, 4), (.init(charge: 5), 8, 4), (.init(isOnBattery: true), 6, 4),
            (.init(isOnBattery: true, charge: 21), 6, 4), (.init(isOnBattery: true, charge: 20), 4, 4),
            (.init(savesEnergy: true), 4, 4), (.init(heat: .fair), 6, 4),
            (.init(isOnBattery: true, charge: 10, heat: .fair), 4, 4), (.init(heat: .serious), 4, 4),
            (.init(isOnBattery: true, charge: 10, savesEnergy: true, heat: .critical), 2, 2),
        ] as [(MachineCondition, Int, Int)])
    func reduces(condition: MachineCondition, automatic: Int, quiet: Int) {
        #expect(PowerPolicy.performance.limits(in: condition, of: all) == all)
        #expect(
            PowerPolicy.automatic.limits(in: condition, of: all) == StepLimits(threads: automatic, rows: automatic * 32)
        )
        #expect(PowerPolicy.quiet.limits(in: condition, of: all) == StepLimits(threads: quiet, rows: quiet * 32))
    }

    @Test("there is always a thread and a row, and never more than all", arguments: 1...5)
    func bounds(threads: Int) {
        for policy in PowerPolicy.allCases {
            for heat in MachineCondition.Heat.allCases {
                let few = policy.limits(in: .init(heat: heat), of: StepLimits(threads: threads, rows: 1))
                #expect(1...threads ~= few.threads)
                #expect(few.rows == 1)
            }
        }
    }

    @Test("names are those of the options", arguments: ["automatic", "performance", "quiet"])
    func names(name: String) {
        #expect(PowerPolicy(rawValue: name)?.description == name)
        #expect(PowerPolicy(rawValue: name.uppercased()) == nil)
    }

    @Test("the machine is looked at again when some seconds have passed, beside the steps and once at a time")
    func looksAgain() {
        let (conditions, waiting) = (Script([.init(), .init(heat: .critical), .init(heat: .serious)]), Waiting())
        let start = ContinuousClock.now
        let watch = PowerWatch(
            .automatic, of: all, now: start, look: { conditions.next() }, later: { waiting.add($0) })
        #expect(watch.limits(at: start + .seconds(1)) == all)
        #expect(waiting.run() == 0)
        // The step that finds the time over does not wait for the look, nor do those until it is done.
        #expect(watch.limits(at: start + PowerWatch.interval) == all)
        #expect(watch.limits(at: start + .seconds(60)) == all)
        #expect(waiting.run() == 1)
        #expect(watch.limits(at: start + .seconds(5)).threads == 2)
        #expect(watch.status.condition.heat == .critical)
        #expect(watch.limits(at: start + .seconds(70)).threads == 2)
        #expect(waiting.run() == 1)
        #expect(watch.status.limits == StepLimits(threads: 4, rows: 128))
    }

    @Test("with the policy of performance nobody looks at the machine")
    func looksNever() {
        let (conditions, waiting) = (Script([]), Waiting())
        let watch = PowerWatch(.performance, of: all, look: { conditions.next() }, later: { waiting.add($0) })
        #expect(watch.limits(at: .now + .seconds(60)) == all)
        #expect(waiting.run() == 0)
        #expect(conditions.count == 0)
    }
}

/// Conditions, one after the other.
private final class Script: Sendable {
    private let conditions: Mutex<[MachineCondition]>
    private let asked = Mutex(0)

    init(_ conditions: [MachineCondition]) {
        self.conditions = Mutex(conditions)
    }

    var count: Int { asked.withLock { $0 } }

    func next() -> MachineCondition {
        asked.withLock { $0 += 1 }
        return conditions.withLock { $0.isEmpty ? .init() : $0.removeFirst() }
    }
}

/// What is to be run later.
private final class Waiting: Sendable {
    private let bodies = Mutex<[@Sendable () -> Void]>([])

    func add(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.append(body) } }

    /// Runs it, and returns how much it was.
    func run() -> Int {
        let found = bodies.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in found { body() }
        return found.count
    }
}
