// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyRuntime
    import ParleySystem
    import Synchronization

    /// Runs the steps of all timelines of one model on the model's own thread, which alone calls llama.cpp, merging
    /// waiting steps into one batch.
    ///
    /// `@unchecked Sendable`: weights, contexts and active jobs belong to the thread that made the scheduler and then
    /// calls ``run()``; the rest is atomic or locked.
    final class LlamaCppScheduler: @unchecked Sendable {
        /// Whether sequences can be cut at any position.
        let cutsExactly: Bool

        private let shape: LlamaCppContext.Shape
        private let bytesPerContext: Int
        private let lifetime: ModelLifetime
        private var images: ImageTable?
        private var weights: LlamaCppWeights?
        private var contexts: [Int: LlamaCppContext] = [:]
        private var active: [LlamaCppJob] = []

        private let table: Mutex<SequenceTable>
        /// The memory of contexts that timelines have places in and that are not made yet, by number. No other lock is
        /// taken inside this one.
        private let promised = Mutex<[Int: MemoryReservation]>([:])
        private let inbox = Mutex<[LlamaCppJob]>([])
        /// The jobs of the batch that llama.cpp is running.
        private let running = Mutex<[LlamaCppJob]>([])
        private let waiting = Atomic<Int>(0)
        private let releasing = Atomic<Bool>(false)
        private let stopping = Atomic<Bool>(false)
        private let sleeper = Sleeper()
        /// Read by llama.cpp while a batch runs.
        private let abort: UnsafeMutablePointer<UInt8>

        /// Makes the first context, so that a model that cannot run fails to load.
        ///
        /// - Parameters:
        ///   - weights: the loaded file.
        ///   - shape: the size of a context.
        ///   - bytesPerContext: the memory of one more context.
        ///   - images: the images that prompts refer to, where the model sees them.
        ///   - lifetime: is told when all of llama.cpp's memory has been freed.
        /// - Throws: `RuntimeError` with llama.cpp's own words.
        init(
            weights: LlamaCppWeights, shape: LlamaCppContext.Shape, bytesPerContext: Int, images: ImageTable?,
            lifetime: ModelLifetime
        ) throws {
            self.lifetime = lifetime
            self.images = images
            self.weights = weights
            self.shape = shape
            self.bytesPerContext = bytesPerContext
            cutsExactly = weights.cutsExactly
            table = Mutex(SequenceTable(perContext: shape.sequences))
            abort = .allocate(capacity: 1)
            abort.initialize(to: 0)
            contexts[0] = try LlamaCppContext(weights, shape, abort: abort)
        }

        deinit {
            abort.deallocate()
        }

        /// Takes a sequence for a timeline.
        ///
        /// - Throws: `RuntimeError` where there is no memory for one more context.
        func reserve() throws -> SequencePlace {
            try table.withLock { table in
                let place = table.next
                if place.context > 0, !table.contextsInUse.contains(place.context) {
                    let (_, reservations) = try MemoryLedger.process.reserve { memory in
                        guard bytesPerContext <= memory.available else {
                            throw RuntimeError(
                                .insufficientMemory,
                                "\(shape.sequences) more sequences of \(shape.length) tokens take "
                                    + "\(bytesPerContext >> 20) MiB, but \(memory.available >> 20) MiB are left.")
                        }
                        return ((), bytes: [bytesPerContext])
                    }
                    promised.withLock { $0[place.context] = reservations[0] }
                }
                table.take(place)
                return place
            }
        }

        /// Gives a timeline's sequence back.
        func release(_ place: SequencePlace) {
            table.withLock { $0.free(place) }
            guard place.context > 0 else { return }
            releasing.store(true, ordering: .sequentiallyConsistent)
            sleeper.wake()
        }

        /// Queues a job; its continuation is resumed when it is done.
        func submit(_ job: LlamaCppJob) {
            inbox.withLock { $0.append(job) }
            waiting.add(1, ordering: .sequentiallyConsistent)
            sleeper.wake()
        }

        /// Ends the running batch if all its jobs are cancelled.
        func noticeCancellation() {
            running.withLock { jobs in
                if !jobs.isEmpty, jobs.allSatisfy(\.isCancelled) { parley_llama_set_abort(abort, true) }
            }
        }

        /// Ends the thread after the batch it is in; jobs that wait throw.
        func stop() {
            stopping.store(true, ordering: .sequentiallyConsistent)
            sleeper.wake()
        }

        /// Works until ``stop()``, and then frees everything of llama.cpp's.
        func run() {
            while !stopping.load(ordering: .sequentiallyConsistent) {
                sleep()
                let arrived = inbox.withLock { jobs in
                    defer { jobs.removeAll(keepingCapacity: true) }
                    return jobs
                }
                waiting.subtract(arrived.count, ordering: .sequentiallyConsistent)
                freeContexts()
                for job in arrived { accept(job) }
                finish(active.filter(\.isCancelled)) { _ in .failure(CancellationError()) }
                for job in active where job.nextImage != nil { runImage(of: job) }
                for context in Set(active.map(\.timeline.place.context)) { runStep(in: context) }
                finish(active.filter { $0.remaining == 0 }) { _ in .success(()) }
            }
            finish(active) { _ in .failure(CancellationError()) }
            for job in inbox.withLock({ $0 }) { job.continuation.resume(throwing: CancellationError()) }
            contexts.removeAll()
            images = nil
            weights = nil
            promised.withLock { $0.removeAll() }
            lifetime.end()
        }

        private func sleep() {
            guard active.isEmpty else { return }
            sleeper.wait {
                waiting.load(ordering: .sequentiallyConsistent) > 0
                    || releasing.load(ordering: .sequentiallyConsistent)
                    || stopping.load(ordering: .sequentiallyConsistent)
            }
        }

        /// Frees the contexts in which no timeline has a place, except the first.
        private func freeContexts() {
            guard releasing.exchange(false, ordering: .sequentiallyConsistent) else { return }
            let used = table.withLock { $0.contextsInUse }
            for number in contexts.keys where number > 0 && !used.contains(number) { contexts[number] = nil }
            promised.withLock { promised in
                for number in promised.keys where !used.contains(number) { promised[number] = nil }
            }
        }

        /// Makes llama.cpp's sequence match the job's timeline, or queues lost tokens to be run again.
        private func accept(_ job: LlamaCppJob) {
            do {
                let context = try context(job.timeline.place.context)
                active.append(job)
                let held = job.timeline.tokens.count
                if job.timeline.stored != held { cut(job, in: context) }
            } catch {
                job.continuation.resume(throwing: error)
            }
        }

        private func cut(_ job: LlamaCppJob, in context: LlamaCppContext) {
            let timeline = job.timeline
            let (sequence, held) = (timeline.place.sequence, timeline.tokens.count)
            if timeline.stored != nil, held > 0, context.cut(sequence, from: timeline.position) {
                timeline.stored = held
                return
            }
            // A whole sequence can always be removed.
            _ = context.cut(sequence, from: 0)
            job.restore(timeline.forget())
            timeline.stored = 0
        }

        private func context(_ number: Int) throws -> LlamaCppContext {
            if let context = contexts[number] { return context }
            guard let weights else { throw CancellationError() }
            let context = try LlamaCppContext(weights, shape, abort: abort)
            contexts[number] = context
            promised.withLock { $0[number] = nil }
            return context
        }

        private func finish(_ jobs: [LlamaCppJob], _ result: (LlamaCppJob) -> Result<Void, any Error>) {
            guard !jobs.isEmpty else { return }
            active.removeAll { job in jobs.contains { $0 === job } }
            for job in jobs { job.continuation.resume(with: result(job)) }
        }

        private func runStep(in number: Int) {
            guard let context = contexts[number] else { return }
            let batch = RowBatch(active.filter { $0.timeline.place.context == number })
            guard batch.rowCount > 0 else { return }
            begin(batch.parts.map(\.job))
            defer { running.withLock { $0.removeAll() } }
            do {
                if try context.run(batch) {
                    for part in batch.parts {
                        part.job.timeline.append(part.job.tokens[part.tokens])
                        part.job.done = part.tokens.upperBound
                    }
                } else {
                    for part in batch.parts { undo(part.job, in: context) }
                }
            } catch {
                for part in batch.parts { undo(part.job, in: context) }
                finish(batch.parts.map(\.job)) { _ in .failure(error) }
            }
        }

        private func begin(_ jobs: [LlamaCppJob]) {
            running.withLock { running in
                parley_llama_set_abort(abort, false)
                running = jobs
            }
        }

        /// Runs the piece of an image that is next in a job.
        private func runImage(of job: LlamaCppJob) {
            let timeline = job.timeline
            guard let context = contexts[timeline.place.context] else { return }
            begin([job])
            defer { running.withLock { $0.removeAll() } }
            do {
                guard let piece = job.nextImage.flatMap({ images?.piece(from: $0) }) else {
                    throw RuntimeError(.invalidInput, "An image of the prompt is not known any more; make it again.")
                }
                if try context.run(piece, at: timeline.position, of: timeline.place.sequence) {
                    timeline.append(piece)
                    job.done += piece.rows
                } else {
                    undo(job, in: context)
                }
            } catch {
                undo(job, in: context)
                finish([job]) { _ in .failure(error) }
            }
        }

        /// Cuts a sequence back to its state before a batch that failed or was aborted.
        private func undo(_ job: LlamaCppJob, in context: LlamaCppContext) {
            let timeline = job.timeline
            if timeline.tokens.isEmpty || !context.cut(timeline.place.sequence, from: timeline.position) {
                _ = context.cut(timeline.place.sequence, from: 0)
                job.restore(timeline.forget())
                timeline.stored = 0
            }
        }
    }
#endif
