import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// Assembles the parts of a job around its session.
extension LiveJob {
    /// Shows frames on the calling thread until the stream ends or the job is stopped.
    ///
    /// - Parameter latency: the time by which the output shows all frames late.
    func display(
        _ frames: SourceFrames, on output: LiveOutput?, _ latency: StreamTime,
        _ sightings: SightingReport
    ) {
        let hasWindow = output?.overlay != nil && output?.pipeline.hasWindow == true
        // Everything that the display depends on rings its bell, and so does the reader.
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
            settings: settings, hasWindow: hasWindow, sign: sign, frames: frames, session: session,
            output: frameOutput(output, latency, sightings), life: life, player: player, sightings: sightings)
        loop.run()
    }

    /// Returns the output for displayed frames; nil for none.
    private func frameOutput(
        _ output: LiveOutput?, _ latency: StreamTime, _ sightings: SightingReport
    ) -> FrameOutput? {
        guard let output, let overlay = output.overlay else { return nil }
        let painter = WindowPainter(
            settings: settings, marksFrames: output.marksFrames, window: window, session: session,
            snapshots: snapshots, player: player, canvas: output.canvas)
        return FrameOutput(
            pipeline: output.pipeline, source: overlay, sound: output.sound, painter: painter,
            pacer: FramePacer(latency: latency, held: settings.overlay.delay),
            isPacing: output.pipeline.hasPacingSink, sightings: sightings, measurements: session.measurements,
            rightOfWay: settings.rightOfWay)
    }

    /// Passes frames on with the findings hidden, on the calling thread, until the stream ends or the job is stopped.
    ///
    /// - Parameters:
    ///   - latency: the time by which the output shows all frames late.
    ///   - report: receives the findings of the stages.
    func hide(
        _ hiding: RunningHidingSettings, in frames: SourceFrames, on output: LiveOutput?, latency: StreamTime,
        report: HidingReport
    ) {
        session.source.listen { [bell = frames.bell] in bell.ring() }
        var loop = HidingLoop(hiding, frames, session: session, life: life, into: output, latency: latency) {
            [reader, session] words, settings in
            HidingStage(
                settings, words.matcher, reader: reader, report: report.ofStage, measurements: session.measurements,
                origin: frames.origin, whenRead: { [bell = frames.bell] in bell.ring() })
        }
        loop.run()
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

    /// Returns the reader that reads a recording ahead of the picture; nil if the picture itself is read.
    ///
    /// - Parameter frames: the frames shown meanwhile.
    func aheadReader(showing frames: SourceFrames) -> AheadReader? {
        guard let player, let recording else { return nil }
        return AheadReader(
            player: player, recording: recording, settings: settings, reader: reader, session: session,
            partialResults: partialResults(on: frames))
    }

    private func partialResults(on frames: SourceFrames) -> PartialResults {
        PartialResults(
            words: session.words, latestBoxes: session.latestBoxes, minimumScore: settings.reading.minimumScore,
            bell: frames.bell)
    }

    /// Creates the part that searches the readings.
    ///
    /// - Parameter sightings: is notified of sightings that appear and end; nil if only boxes are wanted.
    func joiner(_ sightings: SightingReport?) -> SightingJoiner {
        var policies = SightingJoiner.Settings()
        policies.minimumScore = settings.reading.minimumScore
        // Voice commands may choose among the texts that were read.
        policies.tellsResults = session.report.wishes.contains(.results) || voice != nil
        if settings.reportsAllText {
            policies.allText = TextResults.Settings(eachChange: settings.reportsEachChange, tellsBeginnings: true)
        }
        let report = session.report
        let best = report.wishes.contains(.pictures) ? { @Sendable in report.tell($1, of: $0) } : nil
        return session.joiner(policies, pictures: ReadPictures(pictures, best: best)) { [voice] event in
            switch event {
            case .began(let sighting, let arrival): sightings?.appeared(sighting, arrival: arrival)
            case .over(let sighting, _): sightings?.disappeared(sighting)
            case .textBegan(let line): report.tell(.textAppeared(line))
            case .text(let line, let time): report.tell(.text(line, at: time))
            case .result(let result, let arrival):
                voice?.note(result.tracks)
                report.tell(.read(result, arrival: arrival))
            case .lost: report.tell(.lost)
            case .boxes: break
            }
        }
    }

    /// Reads frames until they end or the task is cancelled; an engine that fails ends the job.
    func read(into joiner: SightingJoiner, showing frames: SourceFrames) async {
        let reading = session.reading(
            with: reader, into: joiner, as: settings.reading,
            keepsPictures: pictures != nil || session.report.wishes.contains(.pictures),
            partialResults: partialResults(on: frames),
            hasLight: { [turns] in turns.hasLight }, hasRead: { [bell = frames.bell] in bell.ring() })
        guard let failure = await reading.run().failure else { return }
        if failure is CancellationError, Task.isCancelled || life.isStopping { return }
        // An error type that only the engine knows becomes a sentence.
        life.end(
            .error,
            failure: failure as? FramegrepError
                ?? FramegrepError(
                    .engineUnavailable,
                    "The picture cannot be read any more, because \(reader.name) failed with an error of its own: \(failure)."
                ))
    }

    /// Creates the part that handles keys, clicks and messages of an output.
    func control(_ output: LiveOutput) -> WindowControl {
        WindowControl(
            player: player, canvas: output.canvas, pipeline: output.pipeline, sourceName: settings.sourceName,
            session: session, window: window, turns: turns, history: settings.history, hides: settings.hiding != nil,
            voice: voice, life: life)
    }
}
