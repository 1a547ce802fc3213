// SPDX-License-Identifier: Apache-2.0

import ParleyReplyCases
import ParleyRuntime

/// Replies made of tags and parts of tags: no text is lost or duplicated, and the result does not depend on how they
/// are split.
struct RouterFuzz: FuzzSubject {
    static let name = "router"

    func run(_ random: inout SplitMix64) throws {
        try SortedReply(&random).check(&random)
    }
}
