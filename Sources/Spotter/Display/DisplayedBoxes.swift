import TextSpotting

/// The boxes drawn over a running picture, followed from frame to frame. Used by the display thread only.
struct DisplayedBoxes {
    private enum Follower {
        case tracked(BoxFollower)
        case exact(DelayedBoxFollower)
    }

    private let settings: BoxFollower.Settings
    private let timing: OverlayTiming
    private var scale: Double?
    private var follower: Follower

    init(timing: OverlayTiming, maximumAge: StreamTime) {
        var settings = BoxFollower.Settings()
        settings.maximumAge = maximumAge
        settings.memory = LiveTrail.memory
        self.settings = settings
        self.timing = timing
        follower = Self.follower(timing, settings, 1)
    }

    private static func follower(_ timing: OverlayTiming, _ settings: BoxFollower.Settings, _ scale: Double) -> Follower
    {
        switch timing {
        case .tracked: .tracked(BoxFollower(settings: settings, scale: scale))
        case .exact: .exact(DelayedBoxFollower(settings: settings, scale: scale))
        }
    }

    /// A frame came, which will be shown now or later.
    ///
    /// - Parameter scale: the size of the small picture divided by the frame's.
    mutating func see(_ frame: PictureTrail.Frame, scale: Double) {
        if scale != self.scale { follower = Self.follower(timing, settings, scale) }
        self.scale = scale
        switch follower {
        case .tracked(var boxes):
            boxes.advance(to: frame)
            follower = .tracked(boxes)
        case .exact(var boxes):
            boxes.append(frame)
            follower = .exact(boxes)
        }
    }

    /// The boxes on the frame being shown, with what was read meanwhile.
    ///
    /// - Parameter glimpse: what was found by now of a reading that goes on; it is shown where boxes are soon rather than right.
    mutating func boxes(
        on time: FrameTime, _ reading: BoxBoard.Reading?, _ glimpse: BoxBoard.Glimpse? = nil
    ) -> [FollowedBox] {
        switch follower {
        case .tracked(var boxes):
            if let reading {
                if reading.isNewSearch { boxes.clear() }
                // The reading is complete: what was glimpsed of it is a sighting by now, or none.
                boxes.forget { $0 < 0 }
                boxes.renew(with: reading.found, readAt: reading.time, picture: reading.picture)
            }
            if let glimpse {
                let shown = boxes.boxes.filter { $0.id >= 0 }
                boxes.renew(
                    with: glimpse.found.filter { item in !shown.contains { $0.isAlready(item.match) } },
                    readAt: glimpse.time)
            }
            follower = .tracked(boxes)
            return boxes.boxes
        case .exact(var boxes):
            if let reading {
                if reading.isNewSearch { boxes.clear() }
                boxes.add(reading.found, readAt: reading.time, picture: reading.picture)
            }
            let shown = boxes.boxes(on: time)
            follower = .exact(boxes)
            return shown
        }
    }
}

extension FollowedBox {
    /// Whether it shows this match already, found by an earlier reading.
    fileprivate func isAlready(_ other: Match) -> Bool {
        match.patternIndex == other.patternIndex && quad.bounds.overlap(other.quad.bounds) > 0.3
    }
}
