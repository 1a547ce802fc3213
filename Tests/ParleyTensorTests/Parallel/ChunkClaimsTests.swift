// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Synchronization
import Testing

@Suite("Chunk claims")
struct ChunkClaimsTests {
    /// Runs operations of different sizes on several threads. Each chunk counts itself and checks the previous
    /// operation.
    @Test("each chunk is processed once, and none before the previous operation is complete", arguments: [1, 2, 3, 8])
    func doesEachOnce(lanes: Int) {
        let claims = ChunkClaims(lanes: lanes)
        let operations = 400
        let most = 9
        let counts = Counts(operations * most)
        let mistakes = Atomic<Int>(0)
        @Sendable func chunks(_ operation: Int) -> Int { 1 + operation * 7 % most }
        let finished = runOnThreads(lanes) { lane in
            for operation in 1...operations {
                claims.run(operation, chunks: chunks(operation), as: lane) { chunk in
                    counts.add(at: (operation - 1) * most + chunk)
                    guard operation > 1 else { return }
                    for before in 0..<chunks(operation - 1) where counts[(operation - 2) * most + before] != 1 {
                        mistakes.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        #expect(finished)
        #expect(mistakes.load(ordering: .relaxed) == 0)
        for operation in 1...operations {
            for chunk in 0..<most {
                #expect(counts[(operation - 1) * most + chunk] == (chunk < chunks(operation) ? 1 : 0))
            }
        }
    }

    @Test("a single lane processes all chunks, and one that joins later none")
    func passesLatecomers() {
        let claims = ChunkClaims(lanes: 2)
        var (first, second) = (0, 0)
        for operation in 1...20 { claims.run(operation, chunks: 5, as: 0) { _ in first += 1 } }
        for operation in 1...20 { claims.run(operation, chunks: 5, as: 1) { _ in second += 1 } }
        #expect((first, second) == (100, 0))
        claims.run(21, chunks: 2, as: 1) { _ in second += 1 }
        #expect(second == 2)
    }

    @Test("a step begins anew with operation 1")
    func resets() {
        let claims = ChunkClaims(lanes: 1)
        var done: [Int] = []
        for step in 0..<3 {
            claims.reset()
            claims.run(1, chunks: 2, as: 0) { done.append(step * 10 + $0) }
        }
        #expect(done == [0, 1, 10, 11, 20, 21])
    }
}

/// Counters that several threads add to.
private final class Counts: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int>>
    private let count: Int

    init(_ count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    subscript(index: Int) -> Int { cells[index].load(ordering: .sequentiallyConsistent) }

    func add(at index: Int) {
        cells[index].add(1, ordering: .sequentiallyConsistent)
    }
}
