/// How small the luma pictures are in which frames are compared and followed.
enum ThumbnailSize: Double {
    /// For recordings: fine enough to see a single small letter change, small enough to keep several seconds of them.
    case compared = 1280
    /// For a running picture: fine enough for a letter's stroke, small enough to be made of every frame.
    case followed = 640

    /// By which whole factor a picture is made smaller, so that its longer side fits.
    func reduction(ofWidth width: Double, height: Double) -> Int {
        max(1, Int((max(width, height) / rawValue).rounded(.up)))
    }
}
