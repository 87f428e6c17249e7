import AudioSession
import AudioTypes
import Testing

/// What only `make mutate` saw that no test would notice: the user's commands, interruptions, routes
/// and what is kept.
@Suite struct `Found by faults: commands` {
  private func fade(_ step: Transition) -> SessionTime? {
    for case .cork(let fade) in step.actions { return fade }
    return nil
  }

  @Test func `S63: the status is published when it changes, and only then`() {
    var rig = Rig()
    #expect(rig.play().actions.contains(.publish(.playing)))
    #expect(rig.begin("d", .duck).actions.allSatisfy { $0 != .publish(.playing) })
    #expect(rig.begin("c", .call).actions.contains(.publish(.paused)))
    rig.pause()
    rig.end("c")
    rig.play()
    rig.send(.stop(.key))
    let published = rig.actions.compactMap { action -> PlaybackStatus? in
      if case .publish(let status) = action { status } else { nil }
    }
    #expect(published == [.playing, .paused, .playing, .stopped])
  }

  @Test func `S70: a seek goes there, in the track and in what is said`() {
    var rig = Rig()
    rig.play()
    let step = rig.send(.seek(.seconds(42)))
    #expect(step.actions == [.go(track: 0, position: .seconds(42))])
    #expect(step.remark == .soughtTo(.seconds(42)))
    #expect(rig.position == 42 && rig.isAudible)
  }

  @Test func `at the beginning stop and previous go nowhere`() {
    var rig = Rig()
    rig.play()
    #expect(rig.send(.previous(.key)).actions.isEmpty)
    let stop = rig.send(.stop(.key))
    #expect(stop.actions == [.cork(fade: .milliseconds(10)), .publish(.stopped)])
  }

  @Test func `previous goes back by one`() {
    var rig = Rig(tracks: [9, 9, 9])
    rig.play()
    rig.send(.next(.key))
    rig.send(.next(.key))
    #expect(
      rig.send(.previous(.key)).remark == .track(number: 2, of: 3, title: ""))
    #expect(rig.machine.state.track == 1)
  }

  @Test func `S66, S67: a new queue begins at its first track, and counts the ten minutes anew`() {
    var rig = Rig(tracks: [9, 9])
    rig.play()
    rig.send(.next(.key))
    rig.send(.stop(.key))
    rig.wait(300)
    let again = rig.send(.load([SessionTrack(duration: nil), SessionTrack(duration: nil)]))
    #expect(rig.machine.state.track == 0)
    #expect(again.actions == [.go(track: 0, position: .zero)])
    #expect(rig.machine.nextDeadline == .seconds(900))
  }

  @Test func `the last sample of the queue is not faded, and its end is told`() {
    var rig = Rig(tracks: [9, 9])
    rig.play()
    #expect(rig.wait(9).map(\.remark) == [.track(number: 2, of: 2, title: "")])
    let ended = rig.wait(9)
    #expect(ended.map(\.remark) == [.queueEnded])
    #expect(ended.map(fade) == [.zero])
  }

  @Test func `a track of unknown length ends when that is told`() {
    var rig = Rig(tracks: [nil, nil])
    rig.play()
    rig.wait(50)
    rig.send(.trackEnded)
    #expect(rig.machine.state.track == 1 && rig.position == 0 && rig.isAudible)
    #expect(rig.send(.trackEnded).remark == .queueEnded)
    #expect(rig.intent == .stopped && rig.machine.state.track == 1)
  }

  @Test func `a track that is chosen is gone to, and so is one that is not yet known of`() {
    var rig = Rig(tracks: [9, 9])
    rig.play()
    #expect(rig.send(.choose(track: 1)).actions == [.go(track: 1, position: .zero)])
    #expect(rig.send(.choose(track: 2)).remark == .track(number: 3, of: 3, title: ""))
    #expect(rig.send(.choose(track: 0)).actions == [.go(track: 0, position: .zero)])
    for absurd in [-1, .min, .max] {
      let before = rig.machine
      #expect(rig.send(.choose(track: absurd)).actions.isEmpty)
      rig.send(.trackBegan(absurd))
      #expect(rig.machine == before)
    }
  }

  @Test func `a track that began is the current one, and nothing is asked for`() {
    var rig = Rig(tracks: [nil, nil])
    rig.play()
    rig.wait(5)
    for track in [1, 0, 4] {
      #expect(rig.send(.trackBegan(track)).actions.isEmpty)
      #expect(rig.machine.state.track == track && rig.position == 0)
      rig.wait(2)
    }
    #expect(rig.machine.state.trackCount == 5)
  }

  @Test func `a number that no list has so many tracks for is gone to like any other`() {
    for track in [1 << 20, 1 << 40, Int.max - 1] {
      var rig = Rig(tracks: [nil])
      rig.play()
      #expect(rig.send(.choose(track: track)).actions == [.go(track: track, position: .zero)])
      rig.send(.seek(.seconds(7)))
      #expect(rig.machine.state.track == track && rig.position == 7 && rig.isAudible)
      // What is kept does not grow with the number, and a restart knows it.
      #expect(rig.machine.state.tracks.count == 1)
      #expect(SessionMachine(restarting: rig.machine.state).state.track == track)
      rig.send(.trackBegan(0))
      #expect(rig.machine.state.track == 0)
      #expect(rig.send(.next(.key)).actions == [.go(track: 1, position: .zero)])
      // Another list is another count.
      rig.send(.load([SessionTrack(duration: nil)]))
      rig.send(.next(.key))
      #expect(rig.intent == .stopped)
    }
  }

  @Test func `S58: the end of the queue is a stop, wherever it is told, and once`() {
    var rig = Rig(tracks: [9, 9])
    rig.play()
    #expect(rig.send(.queueEnded).remark == .queueEnded)
    #expect(rig.intent == .stopped)
    #expect(rig.send(.queueEnded).remark == nil)
  }

  @Test func `a last track that fails holds at once, and changes nothing for who is paused`() {
    var rig = Rig()
    rig.play()
    #expect(fade(rig.send(.trackFailed)) == .zero)
    #expect(rig.intent == .paused(.error))
    rig.play()
    rig.pause()
    rig.send(.trackFailed)
    #expect(rig.intent == .paused(.user))
  }

  @Test func `S2: play without a device is refused, seen or not yet seen`() {
    var none = Rig(route: nil)
    #expect(none.play().refusal == SessionError(.noRoute))
    var told = Rig()
    told.begin("x", .noRoute)
    #expect(told.play().refusal == SessionError(.noRoute))
    #expect(none.intent == .stopped && told.intent == .stopped)
  }

  @Test func `S28: force is for calls and for nothing else that plays over the user`() {
    for kind in [BlockerKind.serverLost, .routePending, .sleep] {
      var rig = Rig()
      rig.begin("x", kind)
      rig.send(.force(.key))
      #expect(!rig.isAudible, "\(kind)")
    }
  }

  @Test func `play while it plays says so and asks for nothing`() {
    var rig = Rig()
    rig.play()
    let step = rig.play()
    #expect(step.remark == .alreadyPlaying && step.actions.isEmpty)
  }

  @Test func `S41: play while it plays pauses nobody`() {
    let peer = { PeerObservation(id: "1.1", status: .playing, canPause: $0) }
    var rig = Rig()
    rig.send(.peer(peer(false)))
    rig.wait(1)
    rig.play()
    rig.send(.peer(peer(true)))
    rig.play()
    #expect(rig.isAudible && rig.count(\.isPeerCall) == 0)
  }

  @Test func `S2: a wish that was taken back leaves nothing behind`() {
    var wished = Rig()
    var not = Rig()
    for _ in 0..<2 {
      wished.play()
      not.play()
    }
    wished.begin("c", .call)
    not.begin("c", .call)
    wished.play()
    wished.pause()
    not.pause()
    #expect(wished.machine == not.machine)
    #expect(wished.machine.state.blockers.map(\.userPlayedSince) == [false])
  }

  @Test func `S4, P1: silent mode twice is silent mode once`() {
    var rig = Rig()
    #expect(rig.send(.silent(true)).rules.all == [.s4, .s5])
    #expect(rig.send(.silent(true)).rules.all.isEmpty)
  }

  @Test func `S36: recording holds the music with a short fade`() throws {
    var rig = Rig()
    rig.play()
    let step = rig.send(.configure(try SessionConfiguration(category: .record)))
    #expect(fade(step) == .milliseconds(10))
  }

  @Test func `S55: another record gives a player its controls, and then it does not come back`()
    throws
  {
    let without = try SessionConfiguration(category: .playback, hasTransportControls: false)
    for (record, isPaused, kind, expected) in [
      (SessionConfiguration.musicPlayer, false, BlockerKind.primary, Intent.paused(.primary)),
      (without, false, .primary, .playing),
      (.musicPlayer, true, .primary, .paused(.user)),
      (.musicPlayer, false, .call, .playing),
    ] {
      var rig = Rig(without)
      rig.play()
      rig.begin("x", kind)
      if isPaused { rig.pause() }
      rig.send(.configure(record))
      #expect(rig.intent == expected)
    }
  }

  @Test func `S38: a record that mixes plays beside who held it before`() throws {
    var rig = Rig(try SessionConfiguration(category: .playback, hasTransportControls: false))
    rig.play()
    rig.begin("x", .primary)
    #expect(!rig.isAudible)
    rig.send(
      .configure(
        try SessionConfiguration(
          category: .playback, options: .mixWithOthers, hasTransportControls: false)))
    #expect(rig.isAudible)
  }

  @Test func `S58: giving the place up fades briefly`() {
    var rig = Rig()
    rig.play()
    #expect(fade(rig.send(.deactivate(notifyOthers: false))) == .milliseconds(10))
  }
}

@Suite struct `Found by faults: interruptions` {
  @Test func `D2: what play sets aside and whose end may carry a word, kind by kind`() {
    #expect(
      BlockerKind.allCases.filter(\.isOverridable) == [.solo, .primary, .serverCork, .stopped])
    for kind in BlockerKind.allCases {
      let isTold = [.call, .solo, .serverCork, .stopped].contains(kind)
      #expect(kind.defaultHint == (isTold ? true : nil), "\(kind)")
    }
  }

  @Test func `what is held while paused promises nothing`() {
    var rig = Rig()
    rig.play()
    rig.pause()
    rig.begin("c", .call)
    #expect(!rig.machine.situation.willResume)
    rig.play()
    #expect(rig.machine.situation.willResume)
  }

  @Test func `S28: over spoken content a call is a call`() {
    var rig = Rig(.languageLesson)
    rig.play()
    rig.begin("c", .call)
    #expect(rig.machine.state.blockers.map(\.kind) == [.call])
    rig.play()
    #expect(!rig.isAudible)
  }

  @Test func `D4.14: a call does not end the moment after a prompt`() {
    var rig = Rig()
    rig.play()
    rig.begin("d", .duck)
    rig.end("d")
    rig.begin("c", .call)
    rig.end("c")
    #expect(rig.gain == SessionTiming.duckDecibels)
    rig.wait(0.3)
    #expect(rig.gain == 0)
  }

  @Test func `D4.14: the moment is counted from the last prompt, whatever else is there`() {
    var rig = Rig(tracks: [nil])
    rig.play()
    rig.begin("d", .duck)
    rig.begin("e", .duck)
    rig.end("d")
    #expect(rig.machine.nextDeadline == nil)
    rig.begin("p", .primary)
    rig.end("e")
    #expect(rig.machine.nextDeadline == .seconds(0.3))
    #expect(rig.gain == SessionTiming.duckDecibels)
  }

  @Test func `D4.14: a prompt over spoken content that was set aside ends without a moment`() {
    var rig = Rig(.languageLesson)
    rig.play()
    rig.begin("p", .duck)
    rig.play()
    rig.end("p")
    #expect(rig.isAudible)
  }

  @Test func `D4.14: over spoken content the moment comes after the last prompt that holds`() {
    var rig = Rig(.languageLesson, tracks: [nil])
    rig.play()
    rig.begin("p", .duck)
    rig.begin("q", .duck)
    rig.end("p")
    #expect(rig.machine.nextDeadline == nil)
    // An alarm, and a prompt that was set aside, are no reason to leave it out.
    rig.play()
    rig.begin("alarm", .solo)
    rig.begin("r", .duck)
    rig.end("r")
    #expect(rig.machine.nextDeadline == .seconds(0.3))
    rig.end("alarm")
    #expect(!rig.isAudible)
    rig.wait(0.3)
    #expect(rig.isAudible)
  }

  @Test func `a stop from the terminal is faded as briefly as the user's own`() {
    var rig = Rig()
    rig.play()
    #expect(rig.send(.suspended(true)).actions.first == .cork(fade: .milliseconds(10)))
  }

  @Test func `T4: going on in the terminal says nothing to who was paused before`() {
    var rig = Rig()
    rig.play()
    rig.begin("c", .call)
    rig.end("c", resume: false)
    rig.send(.suspended(true))
    #expect(rig.send(.suspended(false)).remark == nil)
    #expect(rig.intent == .paused(.denied))
  }

  @Test func `P1: time that goes back changes nothing`() {
    var rig = Rig()
    rig.play()
    rig.wait(9)
    let before = rig.machine
    #expect(rig.machine.fireNext(by: .seconds(4)) == nil)
    #expect(rig.machine == before)
  }

  @Test func `of deadlines at one time, that which silences comes first`() {
    var rig = Rig(tracks: [nil])
    rig.play()
    let voice = StreamObservation(id: "1", client: "meeting")
    rig.send(.stream(voice))
    rig.send(.stream(StreamObservation(id: "2", client: "meeting", direction: .capture)))
    rig.wait(1)
    rig.send(.streamGone(id: "1"))
    rig.wait(1.8)
    rig.send(.peer(PeerObservation(id: "1.1", status: .playing)))
    let due = rig.wait(0.2)
    #expect(
      due.map(\.trigger) == [
        .timer(.primaryConfirmed(id: "mpris:1.1")), .timer(.callOver(client: "meeting")),
      ])
    #expect(due.allSatisfy { !$0.actions.contains(.uncork) })
  }
}

@Suite struct `Found by faults: devices` {
  @Test func `S16: without any device the music is held at once, and the device named`() {
    var rig = Rig(route: .headphones)
    rig.play()
    let step = rig.send(.route(RouteChange(to: nil, reason: .noSuitableRoute)))
    #expect(step.actions.first == .cork(fade: .zero))
    #expect(step.remark == .deviceGone(.headphones))
    #expect(rig.machine.state.blockers.map(\.kind) == [.noRoute])
  }

  @Test func `that there is no device is told to who was paused, too`() {
    var rig = Rig()
    rig.play()
    rig.pause()
    #expect(rig.send(.route(RouteChange(to: nil, reason: .noSuitableRoute))).remark == .noDevice)
  }

  private func awaited(to: Route? = nil) -> Rig {
    var rig = Rig(route: .bluetooth, tracks: [nil])
    rig.play()
    rig.lose(to: to, isLinkKept: true)
    return rig
  }

  @Test func `S15: while a device is waited for there is no route, and no lack of one`() {
    let rig = awaited()
    #expect(rig.machine.state.route == nil)
    #expect(rig.blockers == ["bt:00:11"])
  }

  @Test func `S16: a device that did not come back leaves none behind`() {
    var rig = awaited()
    rig.wait(2.5)
    #expect(rig.blockers == ["route"] && rig.intent == .paused(.noisy))
  }

  @Test func `S15: however the other profile is told of, it is the return of the device`() {
    for reason in [RouteChange.Reason.newDeviceAvailable, .override, .oldDeviceUnavailable] {
      var rig = awaited(to: .speakers)
      let isLoss = reason == .oldDeviceUnavailable
      rig.send(
        .route(
          RouteChange(
            from: isLoss ? "a2dp" : nil, to: .handsFree, reason: reason, isLinkKept: isLoss)))
      #expect(rig.isAudible && rig.machine.state.route == .handsFree, "\(reason)")
    }
  }

  @Test func `S16: where sound goes is known also while a device is waited for`() {
    var lost = awaited()
    lost.lose(to: .speakers, from: "a2dp")
    #expect(lost.machine.state.route == .speakers && lost.intent == .paused(.noisy))
    var again = awaited(to: .speakers)
    again.lose(to: nil, isLinkKept: true)
    #expect(again.machine.state.route == nil && again.blockers == ["bt:00:11"])
  }

  @Test func `S16: when all devices are gone nothing is waited for any more`() {
    for to in [Route.handsFree, nil] {
      var rig = awaited(to: .speakers)
      rig.send(.route(RouteChange(to: to, reason: .noSuitableRoute)))
      #expect(rig.blockers == ["route"] && rig.intent == .paused(.noisy))
      #expect(rig.machine.nextDeadline == nil)
      #expect(rig.machine.state.route == nil)
    }
  }

  @Test func `a server that comes back elsewhere plays there, and says so only to who listened`() {
    var rig = Rig(route: .hdmi)
    rig.play()
    rig.send(.serverLost)
    rig.send(.serverBack(.route(.headphones)))
    #expect(rig.machine.state.route == .headphones && rig.isAudible)
    rig.pause()
    rig.send(.serverLost)
    #expect(rig.send(.serverBack(.route(.speakers))).remark == .routeChanged("Speakers"))
  }

  @Test func `a server that comes back while a device is waited for ends no wait`() {
    for (to, back) in [
      (Route.speakers, SessionEvent.ServerRoute.route(.hdmi)), (.headphones, .route(.speakers)),
      (nil, .unchanged),
    ] {
      var rig = awaited(to: to)
      rig.send(.serverLost)
      rig.send(.serverBack(back))
      #expect(rig.blockers == ["bt:00:11"] && rig.intent == .playing)
      rig.connect(.handsFree)
      #expect(rig.isAudible)
    }
  }

  @Test func `T10: for four seconds WirePlumber may still tell of a switch that is over`() {
    for (delay, isOld) in [(3.9, true), (4.1, false)] {
      var rig = awaited(to: .speakers)
      rig.connect(.handsFree)
      rig.wait(delay)
      rig.send(.pause(.wireplumber))
      #expect(rig.isAudible == isOld)
    }
  }

  @Test func `S15: a device that is seen again is no other device`() {
    var rig = Rig()
    rig.play()
    #expect(rig.connect(.speakers).remark == nil)
  }
}

@Suite struct `Found by faults: what is kept` {
  @Test func `X3: a restart keeps the time, the ringer, who is left out, and who may command`() {
    var rig = Rig()
    rig.machine.setHasRingerVolume(false)
    rig.send(.ignore("vlc"))
    rig.play()
    rig.wait(70)
    let playing = SessionMachine(restarting: rig.machine.state)
    #expect(playing.state.now == .seconds(70))
    #expect(!playing.state.hasRingerVolume)
    #expect(playing.situation.acceptsRemote && playing.nextDeadline == nil)
    rig.machine = playing
    rig.send(.peer(PeerObservation(id: "1.1", name: "vlc", status: .playing)))
    #expect(rig.machine.nextDeadline == nil)
  }

  @Test func `X3, S67: after a restart in the ten minutes they are counted anew`() {
    var rig = Rig()
    rig.play()
    rig.send(.stop(.key))
    rig.wait(100)
    let stopped = SessionMachine(restarting: rig.machine.state)
    #expect(stopped.situation.acceptsRemote && stopped.nextDeadline == .seconds(700))
  }

  @Test func `X3, S66: what was never played is not answered for after a restart either`() {
    var rig = Rig()
    rig.send(.wait)
    #expect(rig.machine.nextDeadline == nil)
    let fresh = SessionMachine(restarting: rig.machine.state)
    #expect(!fresh.situation.acceptsRemote && fresh.nextDeadline == nil)
  }

  @Test func `two machines are one when they know the same`() {
    let one = Rig().machine
    var other = one
    #expect(one == other)
    _ = other.apply(.silent(true))
    #expect(one != other)
    #expect(
      one != SessionMachine(state: one.state, applications: KnownApplications()))
  }

  @Test func `S31, S41 to S45: what the ready-made records say`() {
    let rows: [(SessionConfiguration, Category, CategoryOptions, Bool, ContentKind, Bool)] = [
      (.musicPlayer, .playback, [], true, .music, false),
      (.languageLesson, .playback, [], true, .spoken, false),
      (.voiceCall, .playAndRecord, [], false, .spoken, false),
      (.game(otherAudioPlaying: true), .ambient, [], false, .music, false),
      (.game(otherAudioPlaying: false), .soloAmbient, [], false, .music, false),
      (.navigation, .playback, .duckOthers, false, .spoken, false),
      (.interfaceSounds, .ambient, [], false, .music, false),
      (.alarm, .playback, [], false, .music, true),
    ]
    for (record, category, options, hasControls, content, isInterlude) in rows {
      #expect(record.category == category && record.options == options)
      #expect(record.hasTransportControls == hasControls)
      #expect(record.content == content && record.isInterlude == isInterlude)
    }
  }
}
