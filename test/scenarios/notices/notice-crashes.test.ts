/** The process that tells people is killed at each of its durable writes; later another one goes on. */
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { asTable, CrashSample, isWhole, namesIn, STORY_MS, tableOf } from '../crash-table.ts'
import { aProject, command, effect, type Finished, type Project } from '../project.ts'
import { snapshotOf } from '../snapshot.ts'
import { PEOPLE, SINKS, type Sink } from './sinks.ts'

const PRELOADS = ['crash-at-commit.mjs', 'shift-clock.mjs'].map(file => resolve(import.meta.dirname, '..', file))
/** Longer than a claim. */
const LATER_MS = 2 * 60_000

interface Story {
  readonly at: keyof typeof SINKS
  /** So many calls wait, all for ana. */
  readonly holds: number
  /** Left out if the process is killed as it tells of it for the first time. */
  readonly before?: readonly ('send' | 'approve' | 'reject-all' | 'resume')[]
  /** Left out if the calls leave a word. */
  readonly command?: string
  /** Messages that one reader has in the end. */
  readonly messages: number
  /** Each message says this in the end. */
  readonly says: string
  readonly isSampled?: true
}

const STORIES: Readonly<Record<string, Story>> = {
  'a hold to a program': { at: 'webhook', holds: 1, messages: 1, says: '"status":"open"', isSampled: true },
  'two holds to a program': { at: 'command', holds: 2, messages: 2, says: '"status":"open"' },
  'a decision to a program': {
    ...{ at: 'webhook', holds: 1, before: ['send', 'approve'], messages: 1, says: '"verdict":"approve"' },
  },
  'a hold in Slack': { at: 'Slack', holds: 1, messages: 1, says: 'Run echo applied-0', isSampled: true },
  'a decision in Slack': {
    ...{ at: 'Slack', holds: 1, before: ['send', 'approve'], messages: 1, says: 'approved by ana' },
  },
  'ten holds in one message of Slack': { at: 'Slack', holds: 10, messages: 1, says: '10 holds wait for you' },
  'ten decisions in one message of Slack': {
    ...{
      at: 'Slack',
      holds: 10,
      before: ['send', 'reject-all', 'send'],
      messages: 1,
      says: '10 holds: all are closed',
    },
    isSampled: true,
  },
  'a hold on GitHub': { at: 'GitHub', holds: 1, messages: 1, says: 'Run echo applied-0' },
  'a decision on GitHub': {
    ...{ at: 'GitHub', holds: 1, before: ['send', 'approve'], messages: 1, says: 'approved by ana' },
    isSampled: true,
  },
  'a failure in Slack': {
    ...{ at: 'Slack', holds: 1, before: ['send', 'resume'], command: 'exit 3', messages: 1 },
    says: 'What you approved failed',
    isSampled: true,
  },
  'a failure by mail': {
    ...{ at: 'mail', holds: 1, before: ['send', 'resume'], command: 'exit 3', messages: 1 },
    says: 'What you approved failed',
  },
  'a hold by mail, with a link': { at: 'mail', holds: 1, messages: 1, says: 'your link', isSampled: true },
}

const stories = Object.entries(STORIES).filter(([, { isSampled }]) => isWhole || isSampled)
const sample = new CrashSample(stories.map(([title]) => `telling ${title}`))

test.concurrent.for(stories)(
  'P4: killed at any write while it tells of %s, the message comes, at most once more, with the same id',
  { timeout: STORY_MS },
  async ([title, story], { expect: own }) => {
    await using sink = await SINKS[story.at]()
    await using project = await waiting(story, sink)
    await using snapshot = await snapshotOf(project)
    const restoreMessages = sink.keep()
    await send(project, { CRASH_POINTS: project.path('points') })
    const names = namesIn(project.path('points'))
    await own(asTable(names)).toMatchFileSnapshot(tableOf(`telling ${title}`))
    const whole = await told(project, sink)
    expectTold(story, sink, { at: 'undisturbed', repeats: 0 })

    for (const crash of sample.crashesAt(`telling ${title}`, names.length)) {
      const at = `${crash} ${names[Number(crash.split(':')[1]) - 1]}`
      await snapshot.restore()
      restoreMessages()
      expect(await send(project, { CRASH_AT: crash }), at).toMatchObject({ signal: 'SIGKILL' })
      const ids = sink.arrived().map(({ id }) => id)
      for (const times of [1, 2])
        expect(await send(project, { CLOCK_AHEAD_MS: String(times * LATER_MS) }), at).toMatchObject({ exit: 0 })
      expect(await told(project, sink), at).toEqual(whole)
      expectTold(story, sink, { at, repeats: CAN_FIND.includes(story.at) ? 0 : 1 })
      for (const id of ids)
        expect(
          sink.arrived().map(each => each.id),
          at,
        ).toContain(id)
    }
  },
)

/** Of these, a try that may have arrived is looked for. */
const CAN_FIND: readonly string[] = ['Slack', 'GitHub']

function expectTold(
  { messages, says }: Story,
  sink: Sink,
  { at, repeats }: { readonly at: string; readonly repeats: number },
): void {
  const arrived = sink.arrived()
  const ids = new Set(arrived.map(({ id }) => id))
  expect(ids.size, at).toBe(messages)
  expect(arrived.length - ids.size, at).toBeLessThanOrEqual(repeats)
  for (const { text } of arrived) expect(text, at).toContain(says)
}

/** What the store knows of it. */
async function told(project: Project, sink: Sink): Promise<unknown> {
  const { json } = await project.holdpoint('notices', '--json')
  const ids = new Set(sink.arrived().map(({ id }) => id))
  return json.map(({ notice_id, event, person, channel, status, tries, next_at, digest }: Record<string, string>) => ({
    ...{ event, person, channel, status, tries, next_at, isDigest: digest !== null },
    isMessage: ids.has(notice_id ?? ''),
  }))
}

/** Ten seconds later: the message about many holds is changed only after a while. */
function send(project: Project, env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return project.run(['notices', 'send'], {
    node: PRELOADS.flatMap(preload => ['--import', preload]),
    env: { CLOCK_AHEAD_MS: '10000', ...env },
  })
}

/** A project in which ana is asked, and what happened before. */
async function waiting({ holds, before = [], command: given }: Story, sink: Sink): Promise<Project> {
  const calls = Array.from({ length: holds }, (_, n) =>
    given === undefined ? effect(`tc_${n + 1}`, `applied-${n}`) : command(`tc_${n + 1}`, given),
  )
  const project = await aProject({
    ...{ script: [{ calls }, 'Done.'], policy: { tools: { run_command: 'prompt' } }, env: sink.env },
    config: {
      people: PEOPLE,
      deciders: ['ana'],
      notify: { base_url: 'https://holds.example.org', channels: sink.channels },
    },
  })
  expect((await project.holdpoint('trust', '--yes')).exit).toBe(0)
  expect((await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')).exit).toBe(10)
  for (const step of before) await STEPS[step](project)
  return project
}

const STEPS: Readonly<Record<NonNullable<Story['before']>[number], (project: Project) => Promise<void>>> = {
  send: async project => expect(await project.holdpoint('notices', 'send')).toMatchObject({ exit: 0 }),
  approve: async project => expect(await project.holdpoint('approve', 'tc_1')).toMatchObject({ exit: 0 }),
  resume: async project => {
    const [{ run_id }] = (await project.holdpoint('holds', '--json')).json as [{ readonly run_id: string }]
    const { checkpoint_id } = (await project.holdpoint('show', run_id, '--json')).json as { checkpoint_id: string }
    expect(await project.holdpoint('-c', checkpoint_id, '--approve-all')).toMatchObject({ exit: 0 })
  },
  'reject-all': async project => {
    const holds = (await project.holdpoint('holds', '--json')).json as readonly { readonly hold_id: string }[]
    for (const { hold_id } of holds) expect(await project.holdpoint('reject', hold_id)).toMatchObject({ exit: 0 })
  },
}
