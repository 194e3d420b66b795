/// Runs the same closure with each value, some in parallel, for runs that mostly wait and do not measure time.
///
/// - Parameter width: the number that run in parallel.
func sideBySide<Value: Sendable>(
    _ values: [Value], width: Int = 3, _ work: @escaping @Sendable (Value) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, value) in values.enumerated() {
            if number >= width { try await group.next() }
            group.addTask { try await work(value) }
        }
        try await group.waitForAll()
    }
}
