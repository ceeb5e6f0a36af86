import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, chown, link, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { aProject, CLI, effect, ended, type Finished, type Project } from './project.ts'

const PAUSE = ['-a', '--pause-on-approval', '-o', 'json', 'go']
const DEPLOY = [{ text: 'Soon.', calls: [effect('tc_1', 'applied')] }, 'Done.']

/** A project with a run that waits, and a way to its store. */
async function pausedProject(): Promise<{ project: Project; paused: Finished['json']; store: string }> {
  const project = await aProject({ script: DEPLOY })
  const paused = (await project.run(PAUSE)).json
  return { project, paused, store: project.path('.holdpoint', 'holdpoint.db') }
}

function expectFailed(finished: Finished, code: unknown): void {
  expect(finished).toMatchObject({
    exit: 1,
    stderr: '',
    json: { outcome: 'failed', error: { code, message: expect.any(String), hint: expect.stringMatching(/\w/) } },
  })
}

/** Commands that look, and commands that act. */
const everyWay = (checkpoint: string, session: string, run: string): string[][] => [
  ['-c', checkpoint, '--approve', 'tc_1', '-o', 'json'],
  ['-c', checkpoint, '-o', 'json'],
  ['-c', checkpoint, '--fork', '--approve', 'tc_1', '-o', 'json'],
  ['threads', 'show', session, '--json'],
  ['show', run, '--json'],
  ['show', checkpoint, '--json'],
]

test.skipIf(process.platform !== 'linux')(
  'a store where no directory can be made is refused, and not tried for ever',
  async () => {
    await using project = await aProject({ script: DEPLOY })
    expectFailed(await project.run([...PAUSE, '--store', 'sqlite:/proc/nosuch/deep/runs.db']), 'store_unopenable')
  },
)

test('a store that is a text file is refused and not touched', async () => {
  const notes = 'These are my notes.\n'.repeat(100)
  await using project = await aProject({ script: DEPLOY, files: { 'notes.txt': notes } })
  for (const args of [PAUSE, ['runs', '--json'], ['-c', 'cp_0000000000000000aaaaaaaaaa', '-o', 'json']]) {
    expectFailed(await project.run([...args, '--store', 'sqlite:notes.txt']), 'store_not_a_database')
  }
  expect(await project.read('notes.txt')).toBe(notes)
  expect((await readdir(project.directory)).filter(name => name.startsWith('notes'))).toEqual(['notes.txt'])
})

test('a store that is a directory is refused', async () => {
  await using project = await aProject({ script: DEPLOY })
  await mkdir(project.path('records'))
  expectFailed(await project.run([...PAUSE, '--store', 'sqlite:records']), 'store_unopenable')
  expect(await readdir(project.path('records'))).toEqual([])
})

test('a store that would be below a file is refused', async () => {
  await using project = await aProject({ script: DEPLOY, files: { notes: 'mine' } })
  const refused = await project.run([...PAUSE, '--store', 'sqlite:notes/holdpoint.db'])
  expectFailed(refused, 'store_unopenable')
  expect(refused.json.error.message).toContain('notes')
  expect(await project.read('notes')).toBe('mine')
})

test('a store that is the database of another program is refused and not touched', async () => {
  await using project = await aProject({ script: DEPLOY })
  {
    using other = openDatabase(project.path('theirs.db'))
    other.exec("CREATE TABLE runs (id TEXT, what TEXT); INSERT INTO runs VALUES ('run_1', 'marathon')")
  }
  const before = await readFile(project.path('theirs.db'))
  for (const args of [PAUSE, ['runs', '--json']]) {
    expectFailed(await project.run([...args, '--store', 'sqlite:theirs.db']), 'store_foreign')
  }
  expect(await readFile(project.path('theirs.db'))).toEqual(before)
})

test('a store of a newer version is refused and not touched', async () => {
  const { project, paused, store } = await pausedProject()
  await using _ = project
  {
    using database = openDatabase(store)
    database.exec('PRAGMA user_version = 99')
  }
  const before = await readFile(store)
  for (const args of [PAUSE, ['runs', '--json'], ['-c', paused.checkpoint_id, '--approve', 'tc_1', '-o', 'json']]) {
    const refused = await project.run(args)
    expectFailed(refused, 'store_newer')
    expect(refused.json.error.message).toContain('99')
  }
  expect(await readFile(store)).toEqual(before)
  expect(await project.effects()).toEqual([])
})

/** Starts the command line as somebody who may not do everything, which the superuser may. */
function startUnprivileged(project: Project, args: readonly string[]): ChildProcess {
  const isRoot = process.getuid?.() === 0
  return spawn(process.execPath, [CLI, ...args], {
    cwd: project.directory,
    env: { PATH: process.env['PATH'] ?? '', HOME: project.directory, HOLDPOINT_MODEL: 'script:script.json' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  })
}

const NOBODY = 65_534

test('a store that may not be written is refused and not touched', async () => {
  const { project, paused, store } = await pausedProject()
  await using _ = project
  const before = await readFile(store)
  const locked = [store, project.path('.holdpoint')]
  await chmod(project.directory, 0o755)
  await chmod(store, 0o444)
  await chmod(project.path('.holdpoint'), 0o555)
  try {
    for (const args of [['-c', paused.checkpoint_id, '--approve', 'tc_1', '-o', 'json'], PAUSE]) {
      const refused = await ended(startUnprivileged(project, args))
      expectFailed(refused, expect.stringMatching(/^store_(readonly|unopenable)$/))
      expect(refused.json.error.message).toContain('holdpoint.db')
    }
  } finally {
    for (const path of locked) await chmod(path, 0o755)
  }
  expect(await readFile(store)).toEqual(before)
  expect(await project.effects()).toEqual([])
  expect(await project.holdpoint('-c', paused.checkpoint_id, '--approve', 'tc_1')).toMatchObject({ exit: 0 })
})

test('a store that may not be looked at is not called missing', async () => {
  const { project, store } = await pausedProject()
  await using _ = project
  await chmod(project.directory, 0o755)
  const refused = await ended(startUnprivileged(project, ['runs', '--json', '--store', `sqlite:${store}`]))
  expectFailed(refused, 'store_unopenable')
})

test('a store that cannot be made is refused with the place', async () => {
  await using project = await aProject({ script: DEPLOY })
  await mkdir(project.path('locked'), { mode: 0o555 })
  await chmod(project.directory, 0o755)
  const refused = await ended(startUnprivileged(project, [...PAUSE, '--store', 'sqlite:locked/holdpoint.db']))
  expectFailed(refused, 'store_unopenable')
  expect(refused.json.error.message).toContain('locked')
  expect(await readdir(project.path('locked'))).toEqual([])
})

test('a store in a directory of somebody else works where it may be written', async () => {
  await using project = await aProject({ script: DEPLOY })
  await chmod(project.directory, 0o755)
  await mkdir(project.path('shared'))
  if (process.getuid?.() === 0) await chown(project.path('shared'), NOBODY, NOBODY)
  const paused = await ended(startUnprivileged(project, [...PAUSE, '--store', 'sqlite:shared/holdpoint.db']))
  expect(paused.exit).toBe(10)
})

const DAMAGES: readonly (readonly [what: string, sql: string])[] = [
  ['an event in its middle is missing', 'DELETE FROM events WHERE place % 4194304 = 3'],
  ['its first event is missing', 'DELETE FROM events WHERE place % 4194304 = 1'],
  ['an event is not JSON', `UPDATE events SET data = '{"text": ' WHERE kind = 'model.answered'`],
  ['an event has lost what it said', `UPDATE events SET data = '{}' WHERE kind = 'model.answered'`],
  ['its run has lost how it was set up', `UPDATE events SET data = '{}' WHERE kind = 'run.started'`],
  ['a message has lost its text', `UPDATE events SET data = '{}' WHERE kind = 'message.received'`],
  ['an event is of a kind that nobody knows', `UPDATE events SET kind = 'model.guessed' WHERE kind = 'model.answered'`],
  ['an event says what cannot be', `UPDATE events SET kind = 'step.ended' WHERE kind = 'hold.opened'`],
]

test.each(DAMAGES)(
  'where %s, a journal is called corrupt and never taken for an empty conversation',
  async (_what, sql) => {
    const { project, paused, store } = await pausedProject()
    await using _ = project
    const other = (await project.run(PAUSE)).json
    {
      using database = openDatabase(store)
      const { number } = database.prepare('SELECT number FROM threads WHERE id = ?').get(paused.session_id) ?? {}
      const { changes } = database.prepare(`${sql} AND place / 4194304 = ?`).run(number ?? null)
      expect(changes).toBe(1)
    }
    const damaged = eventsIn(store)
    for (const args of everyWay(paused.checkpoint_id, paused.session_id, paused.run_id)) {
      const failed = await project.run(args)
      expectFailed(failed, 'corrupt_journal')
      expect(failed.json.error.message, args.join(' ')).toContain(paused.session_id)
    }
    expect(eventsIn(store)).toEqual(damaged)
    expect(await project.effects()).toEqual([])
    // What is beside it works as if nothing had happened.
    expect((await project.holdpoint('runs', '--json')).json).toHaveLength(2)
    expect(await project.holdpoint('-c', other.checkpoint_id, '--approve', 'tc_1')).toMatchObject({ exit: 0 })
  },
)

function eventsIn(store: string): unknown[] {
  using database = openDatabase(store, { readOnly: true })
  return database.prepare('SELECT * FROM events ORDER BY place').all()
}

test('a store that was cut short is called damaged, and what is left of it is not touched', async () => {
  const { project, paused, store } = await pausedProject()
  await using _ = project
  await truncate(store, 8_192)
  const before = await readFile(store)
  for (const args of [['-c', paused.checkpoint_id, '--approve', 'tc_1', '-o', 'json'], ['runs', '--json'], PAUSE]) {
    expectFailed(await project.run(args), 'store_corrupt')
  }
  expect(await readFile(store)).toEqual(before)
  expect(await project.effects()).toEqual([])
})

type Spoil = (store: string) => Promise<unknown>

/** What is written last is in the log of a store that was not closed. */
const leaveLog: Spoil = async store => {
  const commit = `const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.exec("PRAGMA wal_autocheckpoint = 0; UPDATE runs SET agent = 'late'")
    process.kill(process.pid, 'SIGKILL')`
  await ended(spawn(process.execPath, ['-e', commit, store], { stdio: ['ignore', 'pipe', 'pipe'] }))
}

const SPOILT: readonly (readonly [how: string, code: string, hint: RegExp, spoil: Spoil])[] = [
  ['was emptied', 'store_corrupt', /Restore it from a backup/, store => writeFile(store, '')],
  [
    ...(['was emptied beside its log', 'store_corrupt', /Restore it from a backup/] as const),
    store => leaveLog(store).then(() => writeFile(store, '')),
  ],
  [
    ...(['lost its file and kept its log', 'store_corrupt', /Put the file back beside its log/] as const),
    store => leaveLog(store).then(() => rm(store)),
  ],
  ['has a second name', 'store_linked', /find DIRECTORY -samefile/, store => link(store, `${store}.other`)],
]

test.each(SPOILT)(
  'P4: a store that %s is refused by every command, and left as it is',
  async (_how, code, hint, spoil) => {
    const { project, paused, store } = await pausedProject()
    await using _ = project
    await spoil(store)
    const left = await contents(project)
    const looks = [['holds'], ['runs'], ['show', paused.run_id], ['audit'], ['audit', 'verify'], ['tasks'], ['agents']]
    const acts = [
      ['approve', 'tc_1'],
      ['work', '--once'],
      ['-c', paused.checkpoint_id, '--approve', 'tc_1'],
    ]
    for (const words of [...looks, ...acts, ['-a', 'go']]) {
      const refused = await project.run([...words, words[0]?.startsWith('-') ? '-ojson' : '--json'])
      expectFailed(refused, code)
      expect(refused.json.error).toMatchObject({ hint: expect.stringMatching(hint) })
    }
    const { checks } = (await project.run(['doctor', '--json', '--offline'])).json
    const [finding] = checks.filter(({ check }: { check: string }) => check === 'store')
    expect(finding).toMatchObject({ status: 'fail', hint: expect.stringMatching(hint) })
    expect(await contents(project)).toEqual(left)
    expect(await project.effects()).toEqual([])
  },
)

/** Of the files of the store. */
async function contents(project: Project): Promise<[name: string, bytes: string][]> {
  const names = (await readdir(project.path('.holdpoint'))).filter(name => name.startsWith('holdpoint.db')).toSorted()
  return Promise.all(names.map(async name => [name, await project.read('.holdpoint', name)] as [string, string]))
}

test('text output tells the same trouble on stderr, with what to do', async () => {
  await using project = await aProject({ script: DEPLOY, files: { 'notes.txt': 'These are my notes.\n'.repeat(100) } })
  const failed = await project.holdpoint('-a', '--store', 'sqlite:notes.txt', 'go')
  expect(failed).toMatchObject({ exit: 1, stdout: '' })
  expect(failed.stderr).toMatch(/^holdpoint: failed: .*notes\.txt.*not a database.*\n {2}\S/)
})
