import { cp, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { namesIn } from './crash-table.ts'
import { historyFaults } from './history-faults.ts'
import { aProject, effect, type Finished, type Project, type ProjectOptions } from './project.ts'
import { advanced, ana, aWorkplace, call, openHold, started, type Workplace } from './workplace.ts'

const key = { HOLDPOINT_BUNDLE_KEY: 'a long random text' }
const ONE = [{ text: 'Soon.', calls: [effect('t1', 'one')] }, { text: 'Done.' }]
const TWO = [
  { text: 'First.', calls: [effect('t1', 'one')] },
  { text: 'Second.', calls: [effect('t2', 'two')] },
  { text: 'Third.', calls: [effect('t3', 'three')] },
  { text: 'Done.' },
]
const json = ['-o', 'json']

interface Waiting extends AsyncDisposable {
  readonly one: Project
  readonly checkpoint: string
  readonly session: string
  readonly run: string
}

/** A run that waits for approval in the store of a first runner. */
async function waiting(options: ProjectOptions = { script: ONE }): Promise<Waiting> {
  const one = await aProject(options)
  const { exit, json: document } = await one.holdpoint('-a', '--pause-on', 'approval', ...json, 'go')
  expect(exit).toBe(10)
  const { checkpoint_id: checkpoint, session_id: session, run_id: run } = document
  return { one, checkpoint, session, run, [Symbol.asyncDispose]: () => one[Symbol.asyncDispose]() }
}

async function exported(runner: Project, checkpoint: string, file = 'run.bundle'): Promise<Finished> {
  const done = await runner.holdpoint('checkpoint', 'export', checkpoint, '--out', file, '--json')
  expect(done).toMatchObject({ exit: 0, stderr: '' })
  return done
}

/** As an artifact travels. */
async function sent(from: Project, to: Project, file = 'run.bundle'): Promise<void> {
  await cp(from.path(file), to.path(file))
}

test('a run goes on where nothing is shared with the store that it began in, with its effects exactly once', async () => {
  await using there = await waiting({ script: ONE, env: key })
  const { one, checkpoint, run } = there
  await using two = await aProject({ script: ONE, env: key })
  const { json: document } = await exported(one, checkpoint)
  expect(document).toMatchObject({ file: 'run.bundle', run_id: run, checkpoint_id: checkpoint, encrypted: true })
  expect((await stat(one.path('run.bundle'))).mode & 0o777).toBe(0o600)
  expect(one.exists('.holdpoint', 'session', 'pause.json')).toBe(false)
  await sent(one, two)

  const done = await two.holdpoint('-c', 'run.bundle', '--approve', 't1', ...json)
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed', run_id: run } })
  expect([await two.effects(), await one.effects()]).toEqual([['one'], []])
  expect(historyFaults(await two.messages(document.session_id))).toEqual([])
  expect(await readdir(two.directory)).toContain('run.bundle.resumed')
})

test('in the store that a run moved away from nothing of it is decided, goes on or ends, and it is shown as moved', async () => {
  await using there = await waiting()
  const { one, checkpoint, run } = there
  const [hold] = (await one.holdpoint('holds', '--json')).json
  const { json: document } = await exported(one, checkpoint)
  const tries = await Promise.all([
    one.holdpoint('-c', checkpoint, '--approve', 't1', ...json),
    one.holdpoint('-c', checkpoint, ...json),
    one.holdpoint('-c', checkpoint, '--fork', '--approve-all', ...json),
    one.holdpoint('approve', hold.id, '--json'),
    one.holdpoint('cancel', run, '--json'),
  ])
  for (const { exit, stdout } of tries) {
    expect(exit).toBe(2)
    expect(stdout).toContain('exported')
    expect(stdout).toContain(document.bundle_id)
  }
  expect((await one.holdpoint('work', '--once')).exit).toBe(0)
  expect(await one.effects()).toEqual([])
  const [runs, open, moved] = await Promise.all([
    one.holdpoint('runs', '--json'),
    one.holdpoint('holds', '--json'),
    one.holdpoint('holds', '--status', 'exported', '--json'),
  ])
  expect(runs.json).toMatchObject([{ run_id: run, exported: { bundle_id: document.bundle_id, exported_by: 'ana' } }])
  expect([open.json, moved.json]).toMatchObject([[], [{ id: hold.id, status: 'exported' }]])
})

test('P2: a bundle is resumed once: of processes that share its file, or their store, one goes on', async () => {
  await using there = await waiting()
  await exported(there.one, there.checkpoint)
  await using two = await aProject({ script: ONE })
  await sent(there.one, two)
  const stores = ['a.db', 'b.db', 'c.db'].map(name => `sqlite:${name}`)
  const same = await Promise.all(
    stores.map(store => two.holdpoint('-c', 'run.bundle', '--approve', 't1', '--store', store, ...json)),
  )
  expect(same.map(({ exit }) => exit).toSorted()).toEqual([0, 2, 2])

  await using three = await aProject({ script: ONE })
  const copies = ['a.bundle', 'b.bundle', 'c.bundle']
  for (const copy of copies) await cp(there.one.path('run.bundle'), three.path(copy))
  const shared = await Promise.all(copies.map(copy => three.holdpoint('-c', copy, '--approve', 't1', ...json)))
  expect(shared.map(({ exit }) => exit).toSorted()).toEqual([0, 2, 2])
  for (const { exit, json: document } of shared)
    if (exit === 2)
      expect(document).toMatchObject({ error: { code: 'already_imported' }, checkpoint_id: expect.any(String) })
  expect([await two.effects(), await three.effects()]).toEqual([['one'], ['one']])

  const [left] = (await readdir(three.directory)).filter(name => copies.includes(name))
  const again = await three.holdpoint('-c', left ?? '', '--approve', 't1', ...json)
  const { checkpoint_id: newest } = again.json
  expect((await three.holdpoint('show', newest, '--json')).json).toMatchObject({ run_id: there.run, status: 'done' })
  const fork = await three.holdpoint('-c', left ?? '', '--fork', '--approve', 't1', ...json)
  expect([fork.exit, await three.effects()]).toEqual([0, ['one', 'one']])
})

test('a run travels on, and comes home with all that happened', async () => {
  await using there = await waiting({ script: TWO })
  const { one, checkpoint, run } = there
  await using two = await aProject({ script: TWO })
  await using three = await aProject({ script: TWO })
  await exported(one, checkpoint)
  await sent(one, two)
  const second = await two.holdpoint('-c', 'run.bundle', '--approve', 't1', ...json)
  expect(second).toMatchObject({ exit: 10, json: { run_id: run } })
  await exported(two, second.json.checkpoint_id, 'two.bundle')
  await sent(two, three, 'two.bundle')
  const third = await three.holdpoint('-c', 'two.bundle', '--approve', 't2', ...json)
  expect(third.exit).toBe(10)
  await exported(three, third.json.checkpoint_id, 'three.bundle')
  await sent(three, one, 'three.bundle')
  const home = await one.holdpoint('-c', 'three.bundle', '--approve', 't3', ...json)
  expect(home).toMatchObject({ exit: 0, json: { outcome: 'completed', run_id: run, steps_taken: 4 } })
  expect([await one.effects(), await two.effects(), await three.effects()]).toEqual([['three'], ['one'], ['two']])

  const audits = await Promise.all([one, two, three].map(each => each.holdpoint('audit', 'verify', '--json')))
  for (const { exit, stdout } of audits) expect([exit, stdout]).toEqual([0, expect.stringContaining('"faults":[]')])
  const { json: explained } = await one.holdpoint('audit', 'explain', run, '--json')
  const effects = explained.calls.flatMap((call: { effects: { imported: string | null }[] }) => call.effects)
  expect(effects.map(({ imported }: { imported: string | null }) => imported !== null)).toEqual([true, true, false])
  const text = (await one.holdpoint('audit', 'explain', run)).stdout
  expect(text).toContain('in another store, before it came here with bundle_')
  // What was exported first is old now, wherever it is tried.
  await rename(two.path('run.bundle.resumed'), one.path('old.bundle'))
  const old = await one.holdpoint('-c', 'old.bundle', ...json)
  expect(old).toMatchObject({ exit: 2, json: { error: { code: 'not_exported' } } })
})

test('whoever exported a run takes it back with its own bundle, and goes on as if nothing had been', async () => {
  await using there = await waiting()
  const { one, checkpoint } = there
  await exported(one, checkpoint)
  const looked = await one.holdpoint('-c', 'run.bundle', ...json)
  expect(looked).toMatchObject({ exit: 10, json: { checkpoint_id: checkpoint } })
  expect(one.exists('.holdpoint', 'session', 'pause.json')).toBe(true)
  expect((await one.holdpoint('approve', 't1', '--advance', '--json')).exit).toBe(0)
  expect(await one.effects()).toEqual(['one'])
})

test('what the flags or the files there make impossible is refused before anything is imported', async () => {
  const agent = '---\nname: deployer\ntools: [run_command]\n---\nDeploy.\n'
  const files = { 'agents/deployer.md': agent }
  await using there = await waiting({ script: ONE, files, config: { agent: 'agents/deployer.md' } })
  await using two = await aProject({ script: ONE })
  await exported(there.one, there.checkpoint)
  await sent(there.one, two)
  const missing = await two.holdpoint('-c', 'run.bundle', '--approve', 't1', ...json)
  expect(missing).toMatchObject({ exit: 2, json: { error: { code: 'invalid_agent' } } })
  expect(missing.json.error.message).toContain(two.path('agents/deployer.md'))
  await two.write('other.md', agent)
  const unknown = await two.holdpoint('-c', 'run.bundle', '--agent', 'other.md', '--approve', 't9', ...json)
  expect(unknown).toMatchObject({ exit: 2, json: { error: { code: 'unknown_id' } } })
  expect((await readdir(two.directory)).toSorted()).toEqual(['other.md', 'run.bundle', 'script.json'])

  const done = await two.holdpoint('-c', 'run.bundle', '--agent', 'other.md', '--approve', 't1', ...json)
  expect([done.exit, await two.effects()]).toEqual([0, ['one']])
})

test('with a key, what others wrote is refused; with the wrong one or none, what was encrypted stays closed', async () => {
  await using there = await waiting()
  const { one, checkpoint } = there
  await using two = await aProject({ script: ONE })
  const warned = await one.holdpoint('checkpoint', 'export', checkpoint, '--out', 'open.bundle')
  expect(warned).toMatchObject({ exit: 0, stderr: expect.stringContaining('can forge approvals') })
  await writeFile(one.path('key'), 'another key\n')
  await one.holdpoint('checkpoint', 'export', checkpoint, '--out', 'closed.bundle', '--key-file', 'key')
  await sent(one, two, 'open.bundle')
  await sent(one, two, 'closed.bundle')
  const resume = (file: string, env: Record<string, string>) =>
    two.run(['-c', file, '--approve', 't1', ...json], { env })
  const tries = await Promise.all([
    resume('open.bundle', key),
    resume('closed.bundle', key),
    resume('closed.bundle', {}),
    resume('open.bundle', { HOLDPOINT_BUNDLE_KEY: '' }),
    one.run(['checkpoint', 'export', checkpoint, '--out', 'x', '--json'], { env: { HOLDPOINT_BUNDLE_KEY: '' } }),
  ])
  expect(tries.map(({ exit, json: document }) => [exit, document.error.code])).toEqual([
    [2, 'bundle_not_encrypted'],
    [2, 'wrong_bundle_key'],
    [2, 'no_bundle_key'],
    [2, 'empty_bundle_key'],
    [2, 'empty_bundle_key'],
  ])
  expect(two.exists('.holdpoint')).toBe(false)
  const done = await resume('closed.bundle', { HOLDPOINT_BUNDLE_KEY: 'another key' })
  expect([done.exit, await two.effects()]).toEqual([0, ['one']])
})

test('what was due on its way is refused to whoever approves too late, and done to whoever only goes on', async () => {
  await using there = await waiting({ script: ONE, config: { due: { seconds: 86_400, on_due: 'reject' } } })
  await exported(there.one, there.checkpoint)
  await using two = await aProject({ script: ONE })
  await sent(there.one, two)
  const late = {
    node: ['--import', resolve(import.meta.dirname, 'shift-clock.mjs')],
    env: { CLOCK_AHEAD_MS: '172800000' },
  }
  const approved = await two.run(['-c', 'run.bundle', '--approve', 't1', ...json], late)
  expect(approved).toMatchObject({ exit: 2, json: { error: { code: 'hold_expired' } } })
  expect([two.exists('run.bundle'), two.exists('.holdpoint')]).toEqual([true, false])
  const done = await two.run(['-c', 'run.bundle', ...json], late)
  expect([done.exit, done.json.final_message, await two.effects()]).toEqual([0, 'Done.', []])
})

test('an edited bundle, a file that is none, and what is neither id nor file are refused, and nothing is imported', async () => {
  await using there = await waiting()
  const { one, checkpoint } = there
  await exported(one, checkpoint)
  const text = await readFile(one.path('run.bundle'), 'utf8')
  await using two = await aProject({
    script: ONE,
    files: { 'edited.bundle': text.replace('echo one', 'echo two'), 'no.bundle': 'hello' },
  })
  const tries = await Promise.all(
    ['edited.bundle', 'no.bundle', 'missing.bundle'].map(file => two.holdpoint('-c', file, '--approve', 't1', ...json)),
  )
  expect(tries.map(({ exit, json: document }) => [exit, document.error.code])).toEqual([
    [2, 'bundle_damaged'],
    [2, 'not_a_bundle'],
    [2, 'unknown_checkpoint'],
  ])
  expect(two.exists('.holdpoint')).toBe(false)
})

test('only what can be resumed is exported, never what a process works on, and no file is overwritten that is no bundle of it', async () => {
  await using there = await waiting()
  const { one, checkpoint, run } = there
  await one.write('notes.txt', 'mine')
  const over = await one.holdpoint('checkpoint', 'export', checkpoint, '--out', 'notes.txt', '--json')
  const nowhere = await one.holdpoint('checkpoint', 'export', checkpoint, '--out', 'no/such/file', '--json')
  const agent = await one.run(['checkpoint', 'export', checkpoint, '--out', 'x', '--json'], {
    env: { HOLDPOINT_WITHIN: 'x' },
  })
  expect([over, nowhere, agent].map(({ exit, json: document }) => [exit, document.error.code])).toEqual([
    [2, 'file_exists'],
    [2, 'unwritable_file'],
    [2, 'agent_cannot_export'],
  ])
  expect((await one.holdpoint('runs', '--json')).json).toMatchObject([{ run_id: run, exported: null }])
  const done = await one.holdpoint('-c', checkpoint, '--approve', 't1', ...json)
  const [late, completed] = await Promise.all(
    [checkpoint, done.json.checkpoint_id].map(id => one.holdpoint('checkpoint', 'export', id, '--out', '-')),
  )
  expect([late?.exit, completed?.exit]).toEqual([2, 2])
  expect([late?.stderr, completed?.stderr]).toEqual([
    expect.stringContaining(done.json.checkpoint_id),
    expect.stringContaining('completed'),
  ])
})

test('what failed elsewhere is taken up here, in a new run of the same session', async () => {
  const failing = [{ error: { message: 'out of order', retryable: false } }]
  await using one = await aProject({ script: failing })
  const failed = await one.holdpoint('-a', '--pause-on', 'approval', ...json, 'go')
  expect(failed.exit).toBe(1)
  await using two = await aProject({ script: ['Done.'] })
  const { stdout } = await one.holdpoint('checkpoint', 'export', failed.json.checkpoint_id, '--out', '-')
  await two.write('run.bundle', stdout)
  const done = await two.holdpoint('-c', 'run.bundle', ...json)
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done.', session_id: failed.json.session_id } })
})

test('the face moves a run too, with the approvals that stand for its session, but not away from its sub-agents', async () => {
  const usual = (place: Workplace) => ({
    script: [{ calls: [call('c1', 'pay')] }, { calls: [call('c2', 'pay')] }, { text: 'Paid.' }],
    tools: [place.held('pay')],
  })
  await using places = await both(usual)
  const [here, there] = places
  await using one = await here.open()
  await using two = await there.open()
  const { id, thread_id } = await started(one)
  const child = await started(one)
  await advanced(one, id)
  const grant = { name: 'pay', scope: 'thread' as const }
  await one.decide((await openHold(one, 'c1')).id, { verdict: 'approve', ...ana, grant })
  const { checkpoint_id } = await one.run(id)
  const mover = { by: 'ana', surface: 'test', holdpoint: '0' }
  here.inFile(file => file.exec(`UPDATE runs SET parent_run_id = '${id}' WHERE id = '${child.id}'`))
  await expect(one.bundles.export(checkpoint_id ?? '', mover)).rejects.toMatchObject({ code: 'has_children' })
  await one.cancel(child.id, { by: 'ana', reason: null })

  const bundle = JSON.parse(JSON.stringify(await one.bundles.export(checkpoint_id ?? '', mover)))
  await expect(one.advance(id)).rejects.toMatchObject({ code: 'exported' })
  expect(await two.bundles.import(bundle, { ...mover, authenticated: true })).toMatchObject({ thread_id, after: 0 })
  expect(await advanced(two, id)).toMatchObject({ status: 'done', answer: 'Paid.' })
  expect([here.effects, there.effects]).toEqual([[], ['pay', 'pay']])
  expect(await two.grants.list()).toMatchObject([{ scope: 'thread', uses: 1 }])
})

/** Two places with a store each. */
async function both(usual: Parameters<typeof aWorkplace>[0]): Promise<[Workplace, Workplace] & AsyncDisposable> {
  const places: [Workplace, Workplace] = [await aWorkplace(usual), await aWorkplace(usual)]
  return Object.assign(places, {
    [Symbol.asyncDispose]: async () => {
      for (const place of places) await place[Symbol.asyncDispose]()
    },
  })
}

const CRASH = ['--import', resolve(import.meta.dirname, 'crash-at-commit.mjs')]

/** A directory with the same files as another one: a run does not know where it is. */
async function copyOf(project: Project): Promise<Project> {
  const copy = await aProject()
  await cp(project.directory, copy.directory, { recursive: true })
  return copy
}

/** Inside of `.holdpoint`, so that what happens to the file counts as a durable write. */
const FILE = join('.holdpoint', 'run.bundle')

/** The durable writes of an undisturbed command, by number, from the first that fits to the last that does. */
async function pointsOf(project: Project, args: readonly string[], fits: RegExp): Promise<number[]> {
  await using copy = await copyOf(project)
  const points = copy.path('points')
  await copy.run(args, { node: CRASH, env: { CRASH_POINTS: points } })
  const names = namesIn(points)
  const [first, last] = [names.findIndex(name => fits.test(name)), names.findLastIndex(name => fits.test(name))]
  return names.flatMap((_, index) => (index >= first && index <= last ? [index + 1] : []))
}

test('P4: an export that is killed at any of its writes is done again, and gives the same bundle', async () => {
  await using there = await waiting()
  const args = ['checkpoint', 'export', there.checkpoint, '--out', FILE, '--json']
  for (const at of ['before:export', 'after:export', 'before:rename run.bundle', 'after:rename run.bundle']) {
    await using one = await copyOf(there.one)
    expect((await one.run(args, { node: CRASH, env: { CRASH_AT: at } })).signal).toBe('SIGKILL')
    const [row] = (await one.holdpoint('runs', '--json')).json
    const again = await one.holdpoint(...args)
    expect(again.exit).toBe(0)
    if (row.exported) expect(again.json.bundle_id, at).toBe(row.exported.bundle_id)
    expect(await readFile(one.path(FILE), 'utf8')).toContain(again.json.bundle_id)
  }
})

test('P3, P4: an import that is killed at any of its writes is done again, and has its effect once', async () => {
  await using there = await waiting()
  await exported(there.one, there.checkpoint, FILE)
  await using fresh = await aProject({ script: ONE })
  await fresh.write(FILE, await there.one.read(FILE))
  const args = ['-c', FILE, '--approve', 't1', ...json]
  const points = await pointsOf(fresh, args, /^rename run\.bundle/)
  expect(points.length).toBeGreaterThanOrEqual(3)
  for (const at of points.flatMap(point => [`before:${point}`, `after:${point}`])) {
    await using two = await copyOf(fresh)
    expect((await two.run(args, { node: CRASH, env: { CRASH_AT: at } })).signal).toBe('SIGKILL')
    const again = await two.holdpoint(...args)
    // Marked as used, and not resumed yet: the checkpoint that it is about goes on.
    const done =
      again.exit === 2 ? await two.holdpoint('-c', again.json.checkpoint_id, '--approve', 't1', ...json) : again
    expect([at, done.exit, await two.effects()]).toEqual([at, 0, ['one']])
    expect(two.exists(`${FILE}.resumed`)).toBe(true)
  }
})
