import Synchronization

/// The last answers, so that the same question is not answered again. Thread-safe.
package final class RecentAnswers<Question: Equatable & Sendable, Answer: Sendable>: Sendable {
    private let most: Int
    private let size: @Sendable (Answer) -> Int
    private let kept = Mutex<[(question: Question, answer: Answer)]>([])

    private static var mostAnswers: Int { 16 }

    /// - Parameter most: the largest size of all answers together; the last one is kept whatever its size.
    package init(most: Int, size: @escaping @Sendable (Answer) -> Int) {
        self.most = most
        self.size = size
    }

    package func recall(_ question: Question) -> Answer? {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.question == question }) else { return nil }
            // Answers that are requested again are discarded last.
            kept.append(kept.remove(at: index))
            return kept.last?.answer
        }
    }

    /// - Parameter isOutdated: returns whether the answer to a question is no longer valid.
    package func keep(
        _ answer: Answer, to question: Question, forgetting isOutdated: (Question) -> Bool = { _ in false }
    ) {
        kept.withLock { kept in
            kept.removeAll { $0.question == question || isOutdated($0.question) }
            kept.append((question, answer))
            while kept.count > 1, kept.count > Self.mostAnswers || kept.reduce(0, { $0 + size($1.answer) }) > most {
                kept.removeFirst()
            }
        }
    }
}
