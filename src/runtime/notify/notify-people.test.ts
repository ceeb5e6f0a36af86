import { afterEach, expect, test } from 'vitest'
import type { Hold } from '../../core/hold/hold.ts'
import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import type { People } from '../../core/notice/person.ts'
import type { NoticeDirectory } from '../../core/notice/recipients.ts'
import { readQuietHours } from '../../core/people/quiet-hours.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { aDecision, aHold, amendment, aStart, ESCALATED, REMINDED } from '../../testing/contracts/store-samples.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import type { NotifyEvent } from './notify-deps.ts'
import { notifyPeople } from './notify-people.ts'

const MINUTE = 60_000

/** A channel that keeps what it was given, as Slack would. */
class Wall implements Notifier {
  readonly kind = 'slack'
  readonly digests = true
  readonly messages: { id: string; address: string; title: string; outcome: string | null; lead: string | null }[] = []
  sent = 0
  changed = 0
  /** Called before a message is on the wall, and after it. */
  before: (notice: Notice) => void = () => {}
  after: () => void = () => {}

  async send(notice: Notice, address: string): Promise<{ at: number }> {
    this.before(notice)
    const { id, text } = notice
    this.sent += 1
    this.messages.push({ id, address, title: text.title, outcome: text.outcome, lead: text.lead })
    this.after()
    return { at: this.messages.length - 1 }
  }

  async find({ id }: Notice): Promise<{ at: number } | null> {
    const at = this.messages.findIndex(message => message.id === id)
    return at < 0 ? null : { at }
  }

  async settle(sent: { at: number }, { text }: Notice): Promise<{ at: number }> {
    this.changed += 1
    const message = this.messages[sent.at]
    if (message) Object.assign(message, { title: text.title, outcome: text.outcome, lead: text.lead })
    return sent
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]()
})

interface Scene {
  readonly store: Store
  readonly clock: HandClock
  readonly wall: Wall
  readonly events: NotifyEvent[]
  /** Sends what is due now. */
  look(): Promise<void>
}

const PEOPLE: People = {
  ana: { addresses: { slack: 'U1' }, quiet: null, want: {} },
  mia: { addresses: { slack: 'U2' }, quiet: null, want: {} },
}

/** `seen` is the store as notices see it. */
async function aScene(people: People = PEOPLE, seen: (store: Store) => Store = store => store): Promise<Scene> {
  const clock = handClock()
  const store = await openStore('memory:', { clock, directory: '.' })
  open.push(store)
  const wall = new Wall()
  const events: NotifyEvent[] = []
  const directory: NoticeDirectory = {
    ...{ people, groups: { managers: ['mia'] }, personal: ['slack'], followUps: [], githubIssue: null, programs: [] },
    project: [{ channel: 'slack', address: 'C0' }],
  }
  const look = async () => {
    const deps = {
      store: seen(store),
      ids: systemIds,
      directory,
      notifiers: [wall],
      settingsOf: () => 'sha256:1',
      baseUrl: null,
      signIn: null,
    }
    const ticking = {
      now: clock.now,
      steady: clock.steady,
      sleep: (ms: number, signal: AbortSignal) => (ms < 100 ? Promise.resolve() : clock.sleep(ms, signal)),
    }
    const tell = (event: NotifyEvent) => void events.push(event)
    await notifyPeople(
      { ...deps, clock: ticking, tell },
      { signal: new AbortController().signal, once: true, random: () => 0.5 },
    )
  }
  await look()
  return { store, clock, wall, events, look }
}

async function opened({ store }: Scene, ...holds: (Partial<Hold> & { id: string })[]): Promise<void> {
  const opens = holds.map(({ id, ...changes }) => ({ ...aHold(id), ...changes }))
  const events = opens.map(
    ({ id, call_id, kind, tool, arguments: args, digest, message }) =>
      ({
        kind: 'hold.opened',
        run_id: 'run_1',
        data: { hold_id: id, call_id, kind, tool, arguments: args, digest, message, because: 'it asks', plugin: null },
      }) as never,
  )
  await store.start({ ...aStart({ opens }), events: [...aStart().events, ...events] })
}

test('the assignee hears of a hold once, and of its decision by the same message', async () => {
  const scene = await aScene()
  await opened(scene, { id: 'hold_1', assignee: 'ana' })
  await scene.look()
  await scene.look()
  expect(scene.wall.messages).toMatchObject([{ address: 'U1', title: 'worker asks: deploy', outcome: null }])
  await scene.store.decide([aDecision('hold_1', { decided_by: 'ben', reason: null })])
  await scene.look()
  expect(scene.wall.messages).toMatchObject([{ outcome: 'approved by ben' }])
  expect(await scene.store.notices.list({})).toMatchObject([{ status: 'changed', next_at: null }])
})

test('deciders by name hear of it; if nobody is named, the channel of the project does', async () => {
  const scene = await aScene()
  const deciders = { people: ['ana', 'mia'], not_requester: false, quorum: 1 }
  await opened(scene, { id: 'hold_1', deciders }, { id: 'hold_2' })
  await scene.look()
  expect(scene.wall.messages.map(({ address }) => address).toSorted()).toEqual(['C0', 'U1', 'U2'])
})

test('P4: after an hour in which the channel was down, each person has each message once', async () => {
  const scene = await aScene()
  scene.wall.before = () => {
    throw new TypeError('the network is down')
  }
  await opened(scene, { id: 'hold_1', assignee: 'ana' }, { id: 'hold_2', assignee: 'mia' })
  await scene.look()
  for (let minute = 0; minute < 60; minute += 1) {
    scene.clock.advance(MINUTE)
    await scene.look()
  }
  const tries = scene.events.filter(({ kind }) => kind === 'notice.failed').length
  expect(tries).toBeGreaterThan(8)
  expect(tries).toBeLessThan(20)
  scene.wall.before = () => {}
  for (let hour = 0; hour < 6; hour += 1) {
    scene.clock.advance(60 * MINUTE)
    await scene.look()
  }
  expect(scene.wall.messages.map(({ address }) => address).toSorted()).toEqual(['U1', 'U2'])
})

test('a message that arrived although its try failed is found, and changed instead of doubled', async () => {
  const scene = await aScene()
  scene.wall.after = () => {
    scene.wall.after = () => {}
    throw new TypeError('the answer was cut')
  }
  await opened(scene, { id: 'hold_1', assignee: 'ana' })
  await scene.look()
  scene.clock.advance(MINUTE)
  await scene.look()
  expect(scene.wall.sent).toBe(1)
  expect(await scene.store.notices.list({})).toMatchObject([{ status: 'sent', sent: { at: 0 } }])
})

test('a hold that is decided before its notice was sent is told to nobody', async () => {
  const scene = await aScene()
  await opened(scene, { id: 'hold_1', assignee: 'ana' })
  await scene.store.decide([aDecision('hold_1')])
  await scene.look()
  expect(scene.wall.messages).toEqual([])
})

test('a receiver that says when is met then, and one that refuses for good is met no more', async () => {
  const scene = await aScene()
  const answers = [{ after_ms: 7_000 }, 'never'] as const
  scene.wall.before = () => {
    throw new NotSentError('slack_refused', 'not now', { retry: answers[scene.events.length] ?? 'never' })
  }
  await opened(scene, { id: 'hold_1', assignee: 'ana' })
  await scene.look()
  expect(scene.events).toMatchObject([{ retry_at: '2030-01-01T00:00:07.000Z' }])
  scene.clock.advance(7_000)
  await scene.look()
  expect(await scene.store.notices.list({ status: 'failed' })).toMatchObject([{ error: 'not now', next_at: null }])
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e20, -5, 0])(
  'a receiver that asks for a pause of %d ms is met again all the same, and not at once',
  async after_ms => {
    const scene = await aScene()
    scene.wall.before = () => {
      scene.wall.before = () => {}
      throw new NotSentError('slack_ratelimited', 'not now', { retry: { after_ms } })
    }
    await opened(scene, { id: 'hold_1', assignee: 'ana' })
    await scene.look()
    await scene.look()
    expect(scene.wall.messages).toEqual([])
    scene.clock.advance(6 * 60 * MINUTE)
    await scene.look()
    expect(scene.wall.messages).toHaveLength(1)
  },
)

test('reminders and escalations reach whom they are about, once, and earlier messages say who is asked now', async () => {
  const scene = await aScene()
  const escalation = [{ assignee: '@managers', seconds: 60, people: ['mia'] }]
  await opened(scene, { id: 'hold_1', assignee: 'ana', escalation })
  await scene.look()
  await scene.store.amend([amendment(REMINDED)])
  await scene.look()
  await scene.store.amend([amendment(ESCALATED)])
  await scene.look()
  await scene.look()
  expect(scene.wall.messages.map(({ address, lead }) => [address, lead])).toEqual([
    ['U1', null],
    ['U1', 'Reminder 1: it still waits.'],
    ['U2', 'Nobody decided in time, so it is escalated to @managers.'],
  ])
  expect(scene.wall.changed).toBe(2)
})

test('in quiet hours a person hears nothing, and then of what still waits', async () => {
  const quiet = readQuietHours('23:00-07:00 UTC')
  const scene = await aScene({ ana: { addresses: { slack: 'U1' }, quiet, want: {} } })
  await opened(scene, { id: 'hold_1', assignee: 'ana' }, { id: 'hold_2', assignee: 'ana' })
  await scene.look()
  expect(scene.wall.messages).toEqual([])
  await scene.store.decide([aDecision('hold_1')])
  scene.clock.advance(7 * 60 * MINUTE)
  await scene.look()
  expect(scene.wall.messages).toHaveLength(1)
})

test('P1: a person who is asked no more, or left, gets no message that waited for the morning', async () => {
  const quiet = readQuietHours('23:00-07:00 UTC')
  const people = {
    ana: { addresses: { slack: 'U1' }, quiet, want: {} },
    mia: { addresses: { slack: 'U2' }, quiet, want: {} },
  }
  const scene = await aScene(people)
  const deciders = { people: ['mia'], not_requester: false, quorum: 1 }
  const escalation = [{ assignee: 'mia', seconds: 60, people: ['mia'] }]
  await opened(scene, { id: 'hold_1', assignee: 'ana', escalation }, { id: 'hold_2', call_id: 'c2', deciders })
  await scene.look()
  await scene.store.amend([amendment(ESCALATED)])
  await scene.look()
  people.mia.addresses.slack = 'U3'
  scene.clock.advance(7 * 60 * MINUTE)
  await scene.look()
  expect(scene.wall.messages).toEqual([])
  const ends = (await scene.store.notices.list({})).map(({ person, status, error }) => [person, status, error])
  const gone = 'U2 is not the slack address of mia any more.'
  expect(ends.toSorted()).toEqual([
    ['ana', 'dropped', null],
    ['mia', 'failed', gone],
    ['mia', 'failed', gone],
  ])
})

test('a person hears only of the events that they want', async () => {
  const scene = await aScene({ ana: { addresses: { slack: 'U1' }, quiet: null, want: { opened: [] } } })
  await opened(scene, { id: 'hold_1', assignee: 'ana' })
  await scene.store.amend([amendment(REMINDED)])
  await scene.look()
  expect(scene.wall.messages).toMatchObject([{ lead: 'Reminder 1: it still waits.' }])
})

test('200 holds at once are one message, which says how many still wait', async () => {
  const scene = await aScene()
  const holds = Array.from({ length: 200 }, (_, n) => ({ id: `hold_${n}`, call_id: `call_${n}`, assignee: 'ana' }))
  await opened(scene, ...holds)
  await scene.look()
  expect(scene.wall.messages).toMatchObject([{ title: '200 holds wait for you' }])
  await scene.store.decide(holds.slice(0, 150).map(({ id }) => aDecision(id)))
  await scene.look()
  expect(scene.wall.changed).toBe(0)
  scene.clock.advance(5_000)
  await scene.look()
  expect(scene.wall.messages).toMatchObject([{ title: '50 holds wait for you' }])
  await scene.store.decide(holds.slice(150).map(({ id }) => aDecision(id)))
  await scene.look()
  scene.clock.advance(5_000)
  await scene.look()
  expect(scene.wall.messages).toMatchObject([{ outcome: 'all are closed' }])
  expect(scene.wall.sent).toBe(1)
})

test('three processes tell each person once', async () => {
  const scene = await aScene()
  await opened(
    scene,
    ...Array.from({ length: 4 }, (_, n) => ({ id: `hold_${n}`, call_id: `c_${n}`, assignee: n % 2 ? 'ana' : 'mia' })),
  )
  await Promise.all([scene.look(), scene.look(), scene.look()])
  await scene.look()
  expect(scene.wall.messages.map(({ address }) => address).toSorted()).toEqual(['U1', 'U1', 'U2', 'U2'])
})

test('a store in which nobody was ever told begins with what waits', async () => {
  const clock = handClock()
  const store = await openStore('memory:', { clock, directory: '.' })
  open.push(store)
  await store.start(aStart({ opens: [aHold('hold_1', { assignee: 'ana' })] }))
  const wall = new Wall()
  const directory: NoticeDirectory = {
    ...{ people: PEOPLE, groups: {}, personal: ['slack'], followUps: [], githubIssue: null, programs: [], project: [] },
  }
  const deps = {
    store,
    ids: systemIds,
    directory,
    notifiers: [wall],
    settingsOf: () => 'sha256:1',
    baseUrl: null,
    signIn: null,
    tell: () => {},
  }
  const ticking = { now: clock.now, steady: clock.steady, sleep: async () => {} }
  await notifyPeople({ ...deps, clock: ticking }, { signal: new AbortController().signal, once: true, random: () => 0 })
  expect(wall.messages).toHaveLength(1)
})

/** The hold as a damaged row may have it: nobody can say whom it asks. */
const damaging = (id: string) => (store: Store) =>
  new Proxy(store, {
    get: (target, name) => {
      if (name !== 'hold') return bound(target, name)
      return async (asked: string) => {
        const hold = await target.hold(asked)
        return asked === id ? { ...hold, escalation: null } : hold
      }
    },
  })

function bound(target: Store, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target)
  return typeof value === 'function' ? value.bind(target) : value
}

test('a hold of which nobody can say who hears of it keeps no other from being told of, and is said once', async () => {
  const scene = await aScene(PEOPLE, damaging('hold_1'))
  await opened(scene, { id: 'hold_1', assignee: 'ana' }, { id: 'hold_2', assignee: 'mia' })
  for (let look = 0; look < 5; look += 1) await scene.look()
  expect(scene.wall.messages.map(({ address }) => address)).toEqual(['U2'])
  expect(scene.events.filter(({ kind }) => kind === 'notify.failed')).toHaveLength(1)
})

test('a notice whose hold can be shown no more is given up in the end, and keeps no other of its address waiting', async () => {
  let isDamaged = false
  const scene = await aScene(PEOPLE, store => (isDamaged ? damaging('hold_1')(store) : store))
  scene.wall.before = () => {
    throw new TypeError('the network is down')
  }
  await opened(scene, { id: 'hold_1', assignee: 'ana', level: 1, escalation: [] }, { id: 'hold_2', assignee: 'ana' })
  await scene.look()
  isDamaged = true
  scene.wall.before = () => {}
  for (let hour = 0; hour < 400; hour += 1) {
    scene.clock.advance(60 * MINUTE)
    await scene.look()
  }
  expect(scene.wall.messages).toHaveLength(1)
  const statuses = (await scene.store.notices.list({})).map(({ hold_id, status }) => [hold_id, status])
  expect(statuses.toSorted()).toEqual([
    ['hold_1', 'failed'],
    ['hold_2', 'sent'],
  ])
})
