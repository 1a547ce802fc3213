// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime
import ParleyTensor

/// Tells of a network that cannot be read, and of memory that the system did not give, as the engine's own error.
func withRuntimeErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as NetworkError {
        throw RuntimeError(error.code == .invalidFile ? .invalidFile : .unsupported, error.message)
    } catch let error as AllocationError {
        throw RuntimeError(.insufficientMemory, error.message, cause: error)
    }
}
