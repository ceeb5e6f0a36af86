import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Hold, type Holdpoint, openHoldpoint } from '../../src/index.ts'
import { withCrash } from '../disk/power-cut.ts'
import { DiskShim } from '../disk/shim.ts'
import { disagreementsIn } from './agreement.ts'
import { asTable, CrashSample, isWhole, namesIn, STORY_MS, tableOf } from './crash-table.ts'
import { historyFaults } from './history-faults.ts'
import { journalOf, type Written } from './journal.ts'
import { aProject, effect, type Finished, type Project, type ProjectOptions } from './project.ts'
import { snapshotOf } from './snapshot.ts'

const PRELOADS = ['crash-at-commit.mjs', 'shift-clock.mjs'].map(file => resolve(import.meta.dirname, file))
const HOUR_MS = 3_600_000

interface Command {
  readonly args: readonly string[]
  /** Who; ana where it is not said. */
  readonly as?: string
  /** When: hours from now. */
  readonly hours?: number
}

/** What a pause tells. */
interface Paused {
  readonly checkpoint_id: string
  readonly run_id: string
}

type Act = (paused: Paused) => Command

/** Somebody decides from elsewhere, or time does, and the process that carries it out is killed at each durable write. */
interface Story {
  readonly project: ProjectOptions
  /** What happens before. */
  readonly before: readonly Act[]
  /** What is killed, and done again by somebody who does not know how far it came. */
  readonly act: Act
  /** What is done then, in order and again, until nothing is left to do. */
  readonly next: readonly Act[]
  /** What is left in `effects.log`. */
  readonly effects: readonly string[]
  /** Whether `npm test` plays it too. */
  readonly isSampled?: true
}

const command = (...args: string[]): Command => ({ args: [...args, '--json'] })
const start: Act = () => ({ args: ['-a', '--pause-on-approval', '-o', 'json', 'go'] })
const resume: Act = ({ checkpoint_id }) => ({ args: ['-c', checkpoint_id, '-o', 'json'] })
const work: Act = () => command('work', '--once')
const approve: Act = () => command('approve', 't1')
const advance: Act = () => command('approve', 't1', '--advance')

const ONE = [{ text: 'Soon.', calls: [effect('t1', 'one')] }, 'Done.']
const ASKS = [
  { calls: [{ id: 'q1', name: 'ask_human', args: { question: 'Where to?', choices: ['eu', 'us'] } }] },
  ...ONE,
]
const later =
  (act: Act): Act =>
  paused => ({ ...act(paused), hours: 2 })

function due(on_due: string): Pick<Story, 'project' | 'before' | 'act' | 'next'> {
  const project = { script: ONE, config: { due: { seconds: 3_600, on_due } } }
  return { project, before: [start], act: later(work), next: [later(work)] }
}

const STORIES: Readonly<Record<string, Story>> = {
  'an approval before a resume': {
    project: { script: ONE },
    before: [start],
    act: approve,
    next: [resume],
    effects: ['one'],
    isSampled: true,
  },
  'an approval that goes on with the run': {
    project: { script: ONE },
    before: [start],
    act: advance,
    next: [resume],
    effects: ['one'],
    isSampled: true,
  },
  'an approval that goes on to the next pause': {
    project: { script: [{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'two')] }, 'Done.'] },
    before: [start],
    act: advance,
    next: [() => command('approve', 't2', '--advance'), work],
    effects: ['one', 'two'],
  },
  'the answer to a question that goes on with the run': {
    project: { script: ASKS, policy: { default: 'auto' } },
    before: [start],
    act: () => command('answer', 'q1', 'eu', '--advance'),
    next: [work],
    effects: ['one'],
  },
  'the last vote of a quorum': {
    project: { script: ONE, config: { deciders: { quorum: 2 } } },
    before: [start, approve],
    act: paused => ({ ...advance(paused), as: 'ben' }),
    next: [resume],
    effects: ['one'],
    isSampled: true,
  },
  'the first vote of a quorum': {
    project: { script: ONE, config: { deciders: { quorum: 2 } } },
    before: [start],
    act: approve,
    next: [paused => ({ ...advance(paused), as: 'ben' }), work],
    effects: ['one'],
  },
  'an approval with a grant that the next call uses': {
    project: { script: [{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'one')] }, 'Done.'] },
    before: [start],
    act: () => command('approve', 't1', '--always', 'one', '--scope', 'thread', '--advance'),
    next: [work],
    effects: ['one', 'one'],
  },
  'an expiry that cancels': { ...due('cancel'), effects: [], isSampled: true },
  'an expiry that rejects': { ...due('reject'), effects: [] },
  'an expiry that may not approve': { ...due('auto_approve'), effects: [] },
  'an expiry of the answer to a text': {
    project: { script: ['Shall I?'], config: { due: { seconds: 3_600, on_due: 'cancel' } } },
    before: [start],
    act: later(work),
    next: [later(work)],
    effects: [],
  },
  'an escalation': {
    project: {
      script: ONE,
      config: { due: { seconds: 3_600, escalation: [{ assignee: 'mia', seconds: 36_000 }] }, deciders: ['ana'] },
    },
    before: [start],
    act: later(work),
    next: [paused => ({ ...later(approve)(paused), as: 'mia' }), later(work)],
    effects: ['one'],
  },
  'a worker that goes on with a decided run': {
    project: { script: ONE },
    before: [start, approve],
    act: work,
    next: [work],
    effects: ['one'],
  },
  'the cancellation of a run': {
    project: { script: ONE },
    before: [start],
    act: ({ run_id }) => command('cancel', run_id),
    next: [],
    effects: [],
    isSampled: true,
  },
  'the deletion of two finished sessions': {
    project: { script: ['Done.'] },
    before: [() => ({ args: ['-a', '-o', 'json', 'go'] }), () => ({ args: ['-a', '-o', 'json', 'go'] })],
    act: () => command('prune', '--older-than', '0s'),
    next: [],
    effects: [],
  },
}

const shim = new DiskShim()
afterAll(() => shim[Symbol.dispose]())

const stories = Object.entries(STORIES).filter(([, { isSampled }]) => isWhole || isSampled)
const sample = new CrashSample(stories.map(([title]) => `deciding ${title}`))

test.concurrent.for(stories)(
  'P2, P3, P4, P10: killed at any write of %s, it comes to the same end, and all that tells of it agrees',
  { timeout: STORY_MS },
  async ([title, story], { expect: own }) => {
    await using project = await aProject(story.project)
    const paused = await arrange(project, story)
    await using snapshot = await snapshotOf(project)
    await play(project, story.act(paused), { CRASH_POINTS: project.path('points') })
    const names = namesIn(project.path('points'))
    await own(asTable(names)).toMatchFileSnapshot(tableOf(`deciding ${title}`))
    const whole = await endOf(project, story)
    expect(whole.effects).toEqual(story.effects)

    for (const crash of sample.crashesAt(`deciding ${title}`, names.length)) {
      const at = `${crash} ${names[Number(crash.split(':')[1]) - 1]}`
      await snapshot.restore()
      const store = project.path('.holdpoint', 'holdpoint.db')
      const killed = await withCrash(shim, { at: crash, store }, env => play(project, story.act(paused), env))
      expect(killed, at).toMatchObject({ signal: 'SIGKILL' })
      const before = journalOf(project)
      expectDurable(project, killed, at)
      await expectAgreement(project, at)
      // Right behind one write it is as right before the next: the one time a worker is quicker than who does it again.
      if (crash.startsWith('before')) await play(project, { ...story.act(paused), ...command('work', '--once') })
      await play(project, story.act(paused))
      const now = await endOf(project, story)
      expect(now, at).toEqual(whole)
      for (const [thread, theirs] of Map.groupBy(before, event => event.thread)) {
        const after = journalOf(project).filter(event => event.thread === thread)
        // A session that was deleted is gone whole.
        if (after.length > 0 || whole.threads.length > 0) expect(after.slice(0, theirs.length), at).toEqual(theirs)
      }
    }
  },
)

async function arrange(project: Project, { before }: Story): Promise<Paused> {
  let paused = { checkpoint_id: '', run_id: '' }
  for (const act of before) {
    const { exit, json } = await play(project, act(paused))
    if (exit === 10) paused = json
  }
  return paused
}

/** What a second command may be told. */
const TOLD_LATER = [
  ...['already_decided', 'already_completed', 'already_voted', 'superseded', 'run_done'],
  ...['hold_expired', 'hold_decided', 'hold_withdrawn', 'hold_overdue', 'outcome_unknown'],
  // The next question is not there yet.
  'unknown_hold',
]

async function play(project: Project, { args, as, hours = 0 }: Command, env = {}): Promise<Finished> {
  const isUsual = hours === 0 && Object.keys(env).length === 0
  const finished = await project.run(args, {
    ...(!isUsual && { node: PRELOADS.flatMap(preload => ['--import', preload]) }),
    env: { ...(as && { HOLDPOINT_ACTOR: as }), CLOCK_AHEAD_MS: String(hours * HOUR_MS), ...env },
  })
  if (finished.signal !== null) return finished
  expect(finished.stderr, args.join(' ')).toBe('')
  expect([0, 2, 10], finished.stdout).toContain(finished.exit)
  if (finished.exit === 2) expect(TOLD_LATER, finished.stdout).toContain(finished.json.error.code)
  return finished
}

/** P4: what was told before the process died is durable. */
function expectDurable(project: Project, { stdout }: Finished, at: string): void {
  const told: Written['data'][] = stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
  const written = journalOf(project)
  for (const { kind, data } of told.filter(line => line.kind?.startsWith('hold.')))
    expect(written, at).toContainEqual(expect.objectContaining({ kind, data }))
  const durable = told.every(({ kind }) => /^(hold|worker|run)\./.test(kind ?? ''))
  expect(durable, `${at}: ${stdout}`).toBe(true)
  for (const { status, run_id } of told.filter(({ kind }) => kind === 'run.advanced'))
    expect(
      written.some(({ kind, run }) => run === run_id && kind === 'run.finished'),
      at,
    ).toBe(status === 'done')
}

async function expectAgreement(project: Project, at: string): Promise<void> {
  const store = project.path('.holdpoint', 'holdpoint.db')
  expect(await disagreementsIn(store, { asks: 'at once' }), at).toEqual([])
}

interface End {
  readonly effects: readonly string[]
  readonly threads: readonly unknown[]
  readonly holds: readonly unknown[]
  readonly grants: readonly unknown[]
}

/** Goes on until nothing is left to do; resolves to what it came to. */
async function endOf(project: Project, { next }: Story): Promise<End> {
  let round = 0
  for (let paused = await underway(project); paused !== null; paused = await underway(project)) {
    const act = next[round % next.length]
    expect(round, `it does not end: ${journalOf(project).map(({ kind }) => kind)}`).toBeLessThan(6)
    if (act) await play(project, act(paused))
    round += 1
  }
  await expectAgreement(project, 'at the end')
  expect(manifestsIn(project)).toEqual([])
  await using holdpoint = await library(project)
  const runs = (await holdpoint.runs()).toReversed()
  const holds = await holdpoint.holds()
  return {
    effects: await project.effects(),
    threads: await Promise.all(runs.map(({ id }) => told(holdpoint, id))),
    holds: holds.filter(({ kind }) => kind !== 'in_doubt').map(saidOf),
    grants: (await holdpoint.grants.list()).map(({ name, scope, uses, granted_by }) => ({
      ...{ name, scope, uses, granted_by },
    })),
  }
}

/** Where the run stands that is not done yet; what is in doubt there, somebody looks up. */
async function underway(project: Project): Promise<Paused | null> {
  await using holdpoint = await library(project)
  for (const hold of await holdpoint.holds({ status: 'open' })) {
    if (hold.kind === 'in_doubt') await settle(project, holdpoint, hold)
  }
  const run = (await holdpoint.runs()).find(({ status }) => status !== 'done')
  return run ? { checkpoint_id: run.checkpoint_id ?? '', run_id: run.id } : null
}

/** The calls of a story run one after another, so what happened beyond those that are on record happened to this one. */
async function settle(project: Project, holdpoint: Holdpoint, { id }: Hold): Promise<void> {
  const finished = journalOf(project).filter(({ kind, data }) => kind === 'call.finished' && data.error === null)
  const known = finished.filter(({ data }) => data.output?.exit_code === 0).length
  const happened = (await project.effects()).length > known
  const said = happened ? { verdict: 'respond', value: { exit_code: 0 } } : { verdict: 'approve' }
  for (const decided_by of ['ana', 'ben']) {
    const receipt = await holdpoint.decide(id, { ...said, decided_by, surface: 'test' } as Parameters<
      Holdpoint['decide']
    >[1])
    if ('hold' in receipt && receipt.hold?.status !== 'open') return
  }
}

async function told(holdpoint: Holdpoint, runId: string): Promise<unknown> {
  const { status, termination, messages, steps } = await holdpoint.run(runId)
  expect(historyFaults(messages)).toEqual([])
  // The result of a call that somebody looked up is what they say of it.
  const said = messages.map(each => (each.role === 'tool' && !each.is_error ? { ...each, content: null } : each))
  return { status, termination, messages: said, steps }
}

function saidOf({ kind, status, tool, assignee, level, votes, decision }: Hold): unknown {
  const by = { verdict: decision?.verdict, decided_by: decision?.decided_by, value: decision?.value }
  return { kind, status, tool, assignee, level, votes: votes.map(({ decided_by }) => decided_by), ...by }
}

function manifestsIn(project: Project): string[] {
  if (!project.exists('.holdpoint', 'session')) return []
  const files = readdirSync(project.path('.holdpoint', 'session'), { recursive: true, encoding: 'utf8' })
  return files.filter(file => file.endsWith('.json'))
}

function library(project: Project): Promise<Holdpoint> {
  return openHoldpoint({ store: `sqlite:${project.path('.holdpoint', 'holdpoint.db')}` })
}
