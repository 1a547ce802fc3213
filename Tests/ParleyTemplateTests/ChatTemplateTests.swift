// SPDX-License-Identifier: Apache-2.0

import ParleyTemplate
import Testing

@Suite struct ChatTemplateTests {
}
