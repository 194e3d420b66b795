import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// How a job's parts are put together around its session: each gets the others that it needs, and no more.
extension LiveJob {
    /// Shows frames on the calling thread until the stream ends or the job is stopped.
    ///
    /// - Parameter latency: how much later than their time the output shows all frames.
    func display(
        _ frames: SourceFrames, on output: LiveOutput?, _ latency: StreamTime,
        _ sightings: SightingReport
    ) {
        let isShown = output?.overlay != nil
        let hasWindow = isShown && output?.pipeline.hasWindow == true
        // Whatever the display looks at rings its bell; the reader does too.
        let (sign, bell) = (WindowSign(), frames.bell)
        if hasWindow {
            output?.pipeline.whenWindowHasShown {
                sign.set()
                bell.ring()
            }
        }
        life.whenStopping { bell.ring() }
        session.source.listen { bell.ring() }
        var loop = DisplayLoop(
            DisplayLoop.Settings(
                timing: settings.overlay, maximumAge: settings.maximumAge, hasWindow: hasWindow),
            frames,
            session.receiver(region: settings.region, isShown: isShown) { [player] in player?.leavesUnread($0) ?? true
            },
            frameOutput(output, latency, sightings), settings.viewer, session.latestBoxes, life, session.report, player,
            session.text, sightings
        ) { [session, life, player] in
            ShowSchedule.Situation(
                isLive: frames.isLive, isRunning: session.source.isRunning, isFrozen: session.source.isFrozen,
                isStopping: life.isStopping, hasRead: session.measurements.hasRead, hasWindowShown: sign.isThere,
                connection: frames.connectionNumber, isAtEnd: player?.isAtEnd ?? false)
        }
        loop.run()
    }

    /// Where frames are shown; nil for nowhere.
    private func frameOutput(
        _ output: LiveOutput?, _ latency: StreamTime, _ sightings: SightingReport
    ) -> FrameOutput? {
        guard let output, let overlay = output.overlay else { return nil }
        let painter = WindowPainter(
            WindowPainter.Settings(
                showsStatus: settings.showsStatus, marksFrames: output.marksFrames, maximumAge: settings.maximumAge),
            window, session.notices, session.text, session.frameHistory, snapshots, session.report, on: output.canvas
        ) { [session, player] in
            var status = OverlayStatus(
                searched: session.words.texts, matches: 0, state: session.source.shown,
                readingsPerSecond: player == nil ? session.measurements.readingsPerSecond : nil)
            status.isFirstReading = !(player?.isRead ?? session.measurements.hasRead)
            return status
        } player: { [player] in
            player?.overlay
        }
        return FrameOutput(
            output.pipeline, overlay, output.sound, painter, FramePacer(latency: latency, held: settings.overlay.delay),
            sightings, session.measurements, settings.rightOfWay)
    }

    // MARK: The reader and the window

    /// The player's callbacks for the part that keeps the source open.
    var keptPlayer: SourceConnection.Player? {
        player.map { player in
            SourceConnection.Player {
                player.open($0)
            } reachEnd: {
                player.reachEnd()
            }
        }
    }

    /// Reads a recording ahead of the picture; nil where the picture itself is read.
    ///
    /// - Parameter frames: are shown meanwhile.
    func aheadReader(showing frames: SourceFrames) -> AheadReader? {
        guard let player, let search else { return nil }
        return AheadReader(
            player: player, description: search,
            settings: AheadReader.Settings(
                sourceName: settings.sourceName, region: settings.region, minimumScore: settings.minimumScore,
                maximumAge: settings.maximumAge), reader: reader, words: session.words,
            partialResults: partialResults(on: frames),
            notices: session.notices, report: session.report)
    }

    private func partialResults(on frames: SourceFrames) -> PartialResults {
        PartialResults(
            words: session.words, latestBoxes: session.latestBoxes, minimumScore: settings.minimumScore,
            bell: frames.bell)
    }

    /// Makes the part that searches the readings.
    func findings(_ sightings: SightingReport) -> LiveResults {
        let texts =
            settings.reportsAllText ? TextResults(session.report, eachChange: settings.reportsEachChange) : nil
        return LiveResults(
            session.words, session.frameHistory, session.latestBoxes, sightings, texts: texts, pictures: pictures,
            keepReading: keepReading, bestPicture: settings.bestPicture, minimumScore: settings.minimumScore)
    }

    /// What is told of all that is read: what was asked for, and what may be said later.
    private var keepReading: (@Sendable (LiveResult) -> Void)? {
        guard let voice else { return settings.keepReading }
        return { [keep = settings.keepReading] result in
            if case .read(let result, _) = result { voice.note(result.tracks) }
            keep?(result)
        }
    }

    /// Reads frames until they end or the task is cancelled; an engine that fails ends the job.
    func read(into findings: LiveResults, showing frames: SourceFrames) async {
        let frameSettings = FrameReader.Settings(
            region: settings.region, maximumAge: settings.maximumAge,
            keepsPictures: pictures != nil || settings.bestPicture != nil)
        do throws(FramegrepError) {
            try await session.read(
                with: reader, into: findings, frameSettings, partialResults: partialResults(on: frames),
                hasLight: { [turns] in turns.hasLight }, hasRead: { [bell = frames.bell] in bell.ring() })
        } catch {
            life.end(.error, failure: error)
        }
    }

    /// Makes the part that handles keys, clicks and messages of an output.
    func control(_ output: LiveOutput) -> WindowControl {
        WindowControl(
            player: player, canvas: output.canvas, pipeline: output.pipeline, sourceName: settings.sourceName,
            words: session.words, window: window, notices: session.notices, text: session.text,
            frameHistory: session.frameHistory,
            turns: turns, closely: session.closely, source: session.source, history: settings.history, voice: voice,
            life: life,
            report: session.report)
    }
}
