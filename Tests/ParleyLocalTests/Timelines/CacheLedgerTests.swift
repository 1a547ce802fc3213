// SPDX-License-Identifier: Apache-2.0

import ParleyLocal
import ParleyRuntime
import Testing

@Suite("Ledger of the caches")
struct CacheLedgerTests {
    @Test("What is lacking comes from idle timelines, the longest unused first and the donor last")
    func freesIdle() {
        var ledger = CacheLedger(limit: 1_000)
        for number in 0..<4 {
            #expect(ledger.admit(number, count: 250, age: number) == .granted(freeing: []))
        }
        for number in [2, 0, 1] { ledger.rest(number, keeping: 200) }
        #expect(ledger.reserved == 850)
        #expect(ledger.admit(4, count: 300, age: 4, sparing: 2) == .granted(freeing: [0]))
        ledger.touch(2)
        #expect(ledger.admit(5, count: 60, age: 5) == .granted(freeing: [1]))
        #expect(ledger.reserved == 810)
        // An idle timeline's own positions count for it.
        #expect(ledger.admit(2, count: 390, age: 6) == .granted(freeing: []))
        #expect(ledger.reserved == 1_000)
    }

    @Test("Who finds no room waits in the order of age, and one that leaves lets the next in")
    func waits() {
        var ledger = CacheLedger(limit: 1_000)
        #expect(ledger.admit(0, count: 700, age: 1) == .granted(freeing: []))
        #expect(ledger.admit(1, count: 400, age: 2) == .waits)
        #expect(ledger.admit(2, count: 100, age: 3) == .waits, "the elder goes first")
        #expect(ledger.place(age: 2) == 1 && ledger.place(age: 3) == 2)
        ledger.withdraw(age: 2)
        #expect(ledger.admit(2, count: 100, age: 3) == .granted(freeing: []))
        #expect(ledger.admit(3, count: 1_001, age: 4) == .refused)
        #expect(ledger.admit(3, count: 200, age: 5) == .granted(freeing: []))
    }

    @Test("A reply that grows sets the youngest one back, which may be itself, and asks again")
    func setsBack() {
        var ledger = CacheLedger(limit: 1_000)
        for number in 0..<3 {
            #expect(ledger.admit(number, count: 300, age: number) == .granted(freeing: []))
        }
        #expect(ledger.extend(0, to: 400) == .granted(freeing: []))
        #expect(ledger.extend(0, to: 300) == .granted(freeing: []))
        #expect(ledger.extend(0, to: 500) == .setsBack(2))
        #expect(ledger.mustLeave(2))
        #expect(ledger.extend(0, to: 500) == .waits)
        ledger.leave(2, age: 2)
        #expect(ledger.admit(2, count: 300, age: 2) == .waits, "what it gave back is the other's")
        #expect(ledger.extend(0, to: 500) == .granted(freeing: []))
        #expect(ledger.extend(1, to: 600) == .setsBack(1))
        ledger.leave(1, age: 1)
        #expect(ledger.admit(2, count: 300, age: 2) == .waits, "the elder comes first")
        #expect(ledger.admit(1, count: 500, age: 1) == .granted(freeing: []))
        #expect(ledger.extend(0, to: 1_001) == .refused)
        #expect(ledger.setBackCount == 2)
    }

    @Test("Without a limit everything is granted")
    func unlimited() {
        var ledger = CacheLedger(limit: nil)
        #expect(ledger.admit(0, count: .max / 4, age: 0) == .granted(freeing: []))
        ledger.rest(0, keeping: 5)
        #expect(ledger.extend(0, to: .max / 4) == .granted(freeing: []))
    }

    @Test("Whatever happens, no more is reserved than there is, and nobody waits for ever", arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ledger = CacheLedger(limit: 2_000)
        struct Work {
            var age: Int
            var held: Int
            var rest: Int
        }
        var waiting: [Int: Work] = [:]
        var running: [Int: Work] = [:]
        var idle: Set<Int> = []
        for age in 0..<40 {
            waiting[age] = Work(
                age: age, held: Int.random(in: 1...600, using: &random), rest: Int.random(in: 0...900, using: &random))
        }
        var rounds = 0
        while !(waiting.isEmpty && running.isEmpty) {
            rounds += 1
            guard rounds < 100_000 else {
                Issue.record("\(waiting.count) wait and \(running.count) run after \(rounds) rounds")
                return
            }
            #expect(ledger.reserved <= 2_000)
            if let number = waiting.keys.randomElement(using: &random), var work = waiting[number] {
                let count = work.held + 100
                if case .granted(let freed) = ledger.admit(number, count: count, age: work.age) {
                    idle.subtract(freed)
                    waiting[number] = nil
                    work.held = count
                    running[number] = work
                }
            }
            guard let number = running.keys.randomElement(using: &random), var work = running[number] else { continue }
            if ledger.mustLeave(number) {
                ledger.leave(number, age: work.age)
                running[number] = nil
                work.held -= 100
                waiting[number] = work
            } else if work.rest <= 0 {
                ledger.rest(number, keeping: work.held)
                running[number] = nil
                idle.insert(number)
            } else {
                switch ledger.extend(number, to: work.held + 100) {
                case .granted(let freed):
                    idle.subtract(freed)
                    work.held += 100
                    work.rest -= 100
                    running[number] = work
                case .refused:
                    work.rest = 0
                    running[number] = work
                default: break
                }
            }
        }
    }
}
