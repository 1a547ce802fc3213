// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Checks, before anything is loaded, whether the given amount of memory can be locked against swapping.
///
/// - Throws: ``RuntimeError`` with code `insufficientMemory`, with the reason and a remedy.
package func checkLocking(_ size: ByteSize) throws(RuntimeError) {
    guard let problem = MemoryLock.problem(locking: size.count) else { return }
    throw RuntimeError(.insufficientMemory, problem)
}
