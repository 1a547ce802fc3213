// SPDX-License-Identifier: Apache-2.0

import ParleyReplyCases
import ParleyRuntime

/// Replies of tags and halves of tags: nothing is lost, nothing comes twice, and it does not matter how they are cut.
struct RouterFuzz: FuzzSubject {
    static let name = "router"

    func run(_ random: inout SplitMix64) throws {
        try SortedReply(&random).check(&random)
    }
}
