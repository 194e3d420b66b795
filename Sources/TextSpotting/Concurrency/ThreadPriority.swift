import Glibc

/// Which of the program's threads the system should run first when there are not processors enough for all.
public enum ThreadPriority {
    /// Makes the calling thread, and every thread it starts from now on, give way to the others.
    ///
    /// Reading may take every processor for as long as it likes; decoding and showing the picture then still come first.
    /// On Linux the nice value belongs to a thread and is inherited (`setpriority(2)`, section "C library/kernel
    /// differences"). Where it is refused nothing happens.
    public static func giveWay() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    }
}
