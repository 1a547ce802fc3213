// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime
import ParleyTensor

/// Converts errors about unreadable networks and failed allocations to the error type of the engine.
func withRuntimeErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as NetworkError {
        throw RuntimeError(error.code == .invalidFile ? .invalidFile : .unsupported, error.message)
    } catch let error as AllocationError {
        throw RuntimeError(.insufficientMemory, error.message, cause: error)
    }
}
