/// A recording or a still that `find` is to search.
struct SearchInput: Codable, Hashable, Sendable {
    /// As results name it.
    var name: String
    /// A user has named only the folder that it lies in: that it is no video is no error.
    var isFound = false
}
