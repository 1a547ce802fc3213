// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Checks before anything is loaded whether so much memory can be locked against swapping.
///
/// - Throws: ``RuntimeError`` with code `insufficientMemory` that says why not, and what to do.
package func checkLocking(_ size: ByteSize) throws(RuntimeError) {
    guard let problem = MemoryLock.problem(locking: size.count) else { return }
    throw RuntimeError(.insufficientMemory, problem)
}
