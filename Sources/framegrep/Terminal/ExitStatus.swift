/// grep's exit statuses; thrown by a command to end with one of them without a message.
enum ExitStatus: Int32, Error {
    case found = 0
    case notFound = 1
    case error = 2
}
