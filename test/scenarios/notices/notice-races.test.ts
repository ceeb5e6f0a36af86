/** Several processes tell people of one store. */
import type { ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openHoldpoint } from '../../../src/index.ts'
import { patienceMs } from '../../patience.ts'
import { isWhole } from '../crash-table.ts'
import { until } from '../processes.ts'
import { aProject, effect, ended, type Project } from '../project.ts'
import { PEOPLE, SINKS, type Sink } from './sinks.ts'

const PRELOAD = resolve(import.meta.dirname, '..', 'shift-clock.mjs')
/** More would make one message of many in channels for people. */
const FEW = 4
const MANY = 12
const ROUNDS = isWhole ? 8 : 2
/** Longer than a claim: what killed processes had taken, those of the next round take over. */
const LATER_MS = 61_000

interface Site extends AsyncDisposable {
  readonly project: Project
  readonly sinks: readonly Sink[]
}

async function aSite(channels: readonly (keyof typeof SINKS)[], count: number): Promise<Site> {
  await using opened = new AsyncDisposableStack()
  const sinks: Sink[] = []
  for (const channel of channels) sinks.push(opened.use(await SINKS[channel]()))
  const calls = Array.from({ length: count }, (_, n) => effect(`tc_${n}`, `applied-${n}`))
  const project = opened.use(
    await aProject({
      ...{ script: [{ calls }, 'Done.'], policy: { tools: { run_command: 'prompt' } } },
      env: Object.assign({}, ...sinks.map(({ env }) => env)),
      config: {
        people: PEOPLE,
        deciders: ['ana'],
        notify: { channels: Object.assign({}, ...sinks.map(sink => sink.channels)) },
      },
    }),
  )
  expect((await project.holdpoint('trust', '--yes')).exit).toBe(0)
  const closing = opened.move()
  return { project, sinks, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

class Workers implements AsyncDisposable {
  readonly #running: ChildProcess[]

  constructor(project: Project, round = 0) {
    const options = { node: ['--import', PRELOAD], env: aheadOf(round) }
    this.#running = Array.from({ length: 3 }, () => project.start(['work'], options))
  }

  async killOne(): Promise<void> {
    const [oldest] = this.#running.splice(0, 1)
    await (oldest && killed(oldest))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map(killed))
  }
}

function aheadOf(round: number): Readonly<Record<string, string>> {
  return { CLOCK_AHEAD_MS: String(round * LATER_MS) }
}

async function killed(child: ChildProcess): Promise<void> {
  const over = ended(child)
  child.kill('SIGKILL')
  await over
}

/** A run that waits with all its calls; resolves to the ids of the holds. */
async function raise(project: Project): Promise<readonly string[]> {
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  return json.pause_reason.pending_tool_calls.map(({ hold_id }: { readonly hold_id: string }) => hold_id)
}

async function rejectAll(project: Project, holds: readonly string[]): Promise<void> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint', 'holdpoint.db')}` })
  const said = holds.map(hold_id => ({ hold_id, verdict: 'reject' as const, decided_by: 'ana', surface: 'test' }))
  await holdpoint.decideMany(said)
}

/** Messages that have come, repeats included, and how many there are without them. */
function countAt({ arrived }: Sink): { readonly all: number; readonly distinct: number } {
  const ids = arrived().map(({ id }) => id)
  return { all: ids.length, distinct: new Set(ids).size }
}

test.each([
  { channels: ['webhook', 'command'], count: MANY, messages: 2 },
  { channels: ['Slack', 'GitHub'], count: FEW, messages: 1 },
] as const)(
  'three processes tell $channels of each hold and each decision once, and nothing is lost',
  async ({ channels, count, messages }) => {
    await using site = await aSite(channels, count)
    const { project, sinks } = site
    await using _workers = new Workers(project)
    const holds = await raise(project)
    await until(() => sinks.every(sink => countAt(sink).distinct === holds.length))
    await rejectAll(project, holds)
    const saysWho = (sink: Sink) => sink.arrived().filter(({ text }) => SAYS_WHO.test(text))
    await until(() => sinks.every(sink => saysWho(sink).length === holds.length))
    const all = holds.length * messages
    for (const sink of sinks) expect(countAt(sink)).toEqual({ all, distinct: all })
  },
)

const SAYS_WHO = /"verdict":"reject"|rejected by ana/

test('P4: three processes are killed in the middle, again and again: each message comes, at most once more for each time', {
  timeout: 6 * patienceMs(),
}, async () => {
  await using site = await aSite(['webhook', 'command'], MANY)
  const { project, sinks } = site
  const holds: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = sinks.map(sink => countAt(sink).all)
    holds.push(...(await raise(project)))
    await using workers = new Workers(project, round)
    await until(() => sinks.some((sink, index) => countAt(sink).all > (before[index] ?? 0)))
    await workers.killOne()
    await delay(100)
  }
  const last = await project.run(['notices', 'send'], { node: ['--import', PRELOAD], env: aheadOf(ROUNDS) })
  expect(last).toMatchObject({ exit: 0, stderr: '' })
  for (const { all, distinct } of sinks.map(countAt)) {
    expect(distinct).toBe(holds.length)
    expect(all).toBeLessThanOrEqual(holds.length + ROUNDS)
  }
})
