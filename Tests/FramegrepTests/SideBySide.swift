/// Does the same with each value, some at a time: for runs that mostly wait, and do not measure time.
///
/// - Parameter width: how many at a time.
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
