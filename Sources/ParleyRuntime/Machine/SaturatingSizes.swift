// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// The sum of two sizes; the largest number where it cannot be counted, which fits into no memory.
    package func addingSize(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }

    /// The product of two sizes; the largest number where it cannot be counted, which fits into no memory.
    package func timesSize(_ other: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
