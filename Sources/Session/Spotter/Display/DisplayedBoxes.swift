import TextSpotting

/// The boxes drawn over a running picture, followed from frame to frame. Used only by the display thread.
struct DisplayedBoxes {
    private enum Follower {
        case tracked(BoxFollower)
        case exact(DelayedBoxFollower)
    }

    private let settings: BoxFollower.Settings
    private let timing: OverlayTiming
    /// The geometry of the displayed frames; nil before the first.
    private(set) var geometry: FrameGeometry?
    private var follower: Follower

    init(timing: OverlayTiming, maximumAge: StreamTime) {
        var settings = BoxFollower.Settings()
        settings.maximumAge = maximumAge
        settings.memory = LiveFrameHistory.memory
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

    /// Takes a frame that will be shown now or later.
    ///
    /// - Parameter geometry: maps its thumbnail to the frame.
    mutating func see(_ frame: FrameHistory.Frame, _ geometry: FrameGeometry) {
        if geometry != self.geometry { follower = Self.follower(timing, settings, geometry.scale) }
        self.geometry = geometry
        switch follower {
        case .tracked(var boxes):
            boxes.advance(to: frame)
            follower = .tracked(boxes)
        case .exact(var boxes):
            boxes.append(frame)
            follower = .exact(boxes)
        }
    }

    /// Returns the boxes on the frame being shown, in pixels of the frame as stored, including what has since been read
    /// in the searched part.
    ///
    /// - Parameter partialResult: the findings so far of a reading in progress; shown if boxes should come early rather
    ///   than exact.
    mutating func boxes(
        on time: FrameTime, _ reading: LatestBoxes.Reading?, _ partialResult: LatestBoxes.PartialResult? = nil
    ) -> [FollowedBox] {
        let boxes = followed(on: time, reading, partialResult)
        guard let geometry, geometry.region != nil else { return boxes }
        return boxes.map { $0.placed(at: geometry.frame($0.quad)) }
    }

    /// Returns the followed boxes, in pixels of the searched part.
    private mutating func followed(
        on time: FrameTime, _ reading: LatestBoxes.Reading?, _ partialResult: LatestBoxes.PartialResult?
    ) -> [FollowedBox] {
        switch follower {
        case .tracked(var boxes):
            if let reading {
                if reading.isNewSearch { boxes.clear() }
                // The reading is complete: its partial findings have become sightings, or were wrong.
                boxes.forget { $0 < 0 }
                boxes.renew(with: reading.found, readAt: reading.time, picture: reading.picture)
            }
            if let partialResult {
                let shown = boxes.boxes.filter { $0.id >= 0 }
                boxes.renew(
                    with: partialResult.found.filter { item in !shown.contains { $0.isAlready(item.match) } },
                    readAt: partialResult.time)
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
    /// Returns whether the box already shows this match, found by an earlier reading.
    fileprivate func isAlready(_ other: Match) -> Bool {
        match.patternIndex == other.patternIndex && quad.isSamePlace(as: other.quad)
    }
}
