import TextSpotting

/// The boxes drawn over a running picture, followed from frame to frame. Used by the display thread only.
struct DisplayedBoxes {
    private let settings: BoxFollower.Settings
    private var follower: BoxFollower

    init(maximumAge: StreamTime) {
        var settings = BoxFollower.Settings()
        settings.maximumAge = maximumAge
        self.settings = settings
        follower = BoxFollower(settings: settings, scale: 1)
    }

    /// The boxes for the next frame, after taking in what was read meanwhile.
    mutating func boxes(on frame: PictureTrail.Frame, scale: Double, _ reading: BoxBoard.Reading?) -> [FollowedBox] {
        if scale != follower.scale { follower = BoxFollower(settings: settings, scale: scale) }
        follower.advance(to: frame)
        return update(with: reading)
    }

    /// The boxes for the same frame as before, with what was read meanwhile.
    mutating func update(with reading: BoxBoard.Reading?) -> [FollowedBox] {
        if let reading {
            if reading.isNewSearch { follower.clear() }
            follower.renew(with: reading.found, readAt: reading.time)
        }
        return follower.boxes
    }
}
