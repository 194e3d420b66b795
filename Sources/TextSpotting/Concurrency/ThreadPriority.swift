import Glibc

/// Which of the program's threads the system should run first when there are not processors enough for all.
public enum ThreadPriority {
    /// Makes the calling thread, and every thread it starts from now on, give way to the others.
    ///
    /// Reading may take every processor for as long as it likes; decoding and showing the picture then still come first.
    /// On Linux the nice value belongs to a thread and is inherited (`setpriority(2)`, section "C library/kernel
    /// differences"). Relative to what the thread has, so that a program started with `nice` stays what it was asked to
    /// be. Where it is refused nothing happens.
    public static func giveWay() {
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, min(19, own + 5))
    }
}
