// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTensor

extension CacheType {
    /// The format of the caches of layers.
    var format: CacheFormat { self == .q8_0 ? .q8_0 : .f16 }
}
