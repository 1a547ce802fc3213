// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyCalendar
import ParleyConstraint
import ParleyConversation
import ParleyFiles
import ParleyHTTP
import ParleyJSON
import ParleyMCP
import ParleyModelFile
import ParleyModels
import ParleyNetwork
import ParleyRuntime
import ParleyTemplate
import ParleyTensor
import ParleyTokenizer
import Testing

/// What the error of every module has.
private protocol ModuleError: Error, Sendable, CustomStringConvertible {
    associatedtype Code: Hashable, Sendable, CustomStringConvertible
    var code: Code { get set }
    var message: String { get set }
    var cause: (any Error)? { get set }
}

extension AllocationError: ModuleError {}
extension AssistantError: ModuleError {}
extension CalendarError: ModuleError {}
extension ConstraintError: ModuleError {}
extension ConversationError: ModuleError {}
extension FileError: ModuleError {}
extension HTTPError: ModuleError {}
extension JSONError: ModuleError {}
extension MCPError: ModuleError {}
extension ModelFileError: ModuleError {}
extension ModelStoreError: ModuleError {}
extension NetworkError: ModuleError {}
extension RuntimeError: ModuleError {}
extension TemplateError: ModuleError {}
extension TokenizerError: ModuleError {}

@Suite("Errors of the modules")
struct ModuleErrorTests {
    @Test("each is made of a code, a message and a cause; it shows its message, and its code its name")
    func alike() {
        check(.insufficientMemory, "insufficientMemory") { AllocationError($0, $1, cause: $2) }
        check(.itemChanged, "itemChanged") { AssistantError($0, $1, cause: $2) }
        check(.invalidRule, "invalidRule") { CalendarError($0, $1, cause: $2) }
        check(.unsatisfiable, "unsatisfiable") { ConstraintError($0, $1, cause: $2) }
        check(.promptExceedsContext, "promptExceedsContext") { ConversationError($0, $1, cause: $2) }
        check(.noSpace, "noSpace") { FileError($0, $1, cause: $2) }
        check(.timedOut, "timedOut") { HTTPError($0, $1, cause: $2) }
        check(.tooDeep, "tooDeep") { JSONError($0, $1, cause: $2) }
        check(.refused, "refused") { MCPError($0, $1, cause: $2) }
        check(.notGGUF, "notGGUF") { ModelFileError($0, $1, cause: $2) }
        check(.checksumMismatch, "checksumMismatch") { ModelStoreError($0, $1, cause: $2) }
        check(.invalidFile, "invalidFile") { NetworkError($0, $1, cause: $2) }
        check(.engineFailed, "engineFailed") { RuntimeError($0, $1, cause: $2) }
        check(.raisedByTemplate, "raisedByTemplate") { TemplateError($0, $1, cause: $2) }
        check(.invalidVocabulary, "invalidVocabulary") { TokenizerError($0, $1, cause: $2) }
    }

    @Test("those that have a place put it before the message")
    func places() {
        #expect("\(JSONError(.tooDeep, "no", line: 2, column: 3))" == "line 2, column 3: no")
        #expect("\(TemplateError(.forbidden, "no", line: 2, construct: "if"))" == "line 2, if: no")
        #expect("\(ConstraintError(.tooLarge, "no", keyword: "enum", path: "#/a"))" == "#/a: enum: no")
        #expect("\(CalendarError(.tooDeep, "no", line: 2))" == "line 2: no")
    }

    private func check<Failure: ModuleError>(
        _ code: Failure.Code, _ name: String, _ make: (Failure.Code, String, (any Error)?) -> Failure
    ) {
        let error = make(code, "what to do", CancellationError())
        #expect(error.code == code && code.description == name)
        #expect(error.message == "what to do" && error.description == error.message)
        #expect(error.cause is CancellationError)
        #expect(make(code, "", nil).cause == nil)
    }
}
