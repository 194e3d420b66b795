import Foundation

/// Thrown by a command that a signal ended, once its cleanup is done.
struct Interruption: Error {
    let signal: Int32

    /// Ends the program as the signal would have ended it.
    ///
    /// A shell sees the exit status 128 + signal (130 after Ctrl-C) either way, but its loops go on after a program that exits
    /// with that status by itself: only for one that *died* of Ctrl-C does it know that Ctrl-C was meant for all of them.
    func die() -> Never {
        Foundation.signal(signal, SIG_DFL)
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, signal)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        raise(signal)
        // The first process of a container is not ended by a signal.
        _exit(128 + signal)
    }
}
