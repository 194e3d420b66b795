public import Foundation

extension Process {
    /// Starts it with no signal blocked. A program starts with the signals blocked that the thread that starts it has blocked, and the
    /// threads of Swift's pool block most: a server that inherits that could only be killed, which would leave its files behind.
    public func runUnmasked() throws {
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try run()
    }
}
