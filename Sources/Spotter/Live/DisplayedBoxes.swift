import GStreamerMedia
import TextSpotting

/// What is drawn over each frame of a running picture. Used by the display thread only.
struct DisplayedBoxes {
    private let settings: LiveSettings
    private let converter = PictureConverter()
    private var follower: BoxFollower?
    private var size = (width: 0, height: 0)

    init(settings: LiveSettings) {
        self.settings = settings
    }

    /// The boxes are followed in pictures at most so long: fine enough for a letter's stroke, small enough to be made of
    /// every frame.
    private static let longestSide = 640

    /// The boxes for the next frame, after taking in what was read meanwhile.
    ///
    /// - Throws: ``FramegrepError`` when the frame cannot be converted.
    mutating func boxes(for sample: borrowing Sample, at time: FrameTime, _ reading: BoxBoard.Reading?) throws
        -> [FollowedBox]
    {
        guard let info = sample.info else { return [] }
        let reduction = max(1, Int((Double(max(info.width, info.height)) / Double(Self.longestSide)).rounded(.up)))
        let small = (width: max(1, info.width / reduction), height: max(1, info.height / reduction))
        if small != size || follower == nil {
            var following = BoxFollower.Settings()
            following.maximumAge = settings.maximumBoxAge
            follower = BoxFollower(settings: following, scale: 1 / Double(reduction))
            size = small
        }
        let picture = try converter.picture(from: sample, format: .luma, size: small)
        follower?.advance(to: PictureTrail.Frame(time: time, picture: picture))
        return update(with: reading)
    }

    /// The boxes for the same frame as before, with what was read meanwhile.
    mutating func update(with reading: BoxBoard.Reading?) -> [FollowedBox] {
        if let reading {
            if reading.isNewSearch { follower?.clear() }
            follower?.renew(with: reading.found, readAt: reading.time)
        }
        return follower?.boxes ?? []
    }
}
