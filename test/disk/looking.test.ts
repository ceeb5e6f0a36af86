import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { aProject, CLI, effect } from '../scenarios/project.ts'
import { DiskShim } from './shim.ts'
import { mayMount, onASmallDisk, WHY } from './small-disk.ts'

const held = new DisposableStack()
const shim = held.use(new DiskShim())
let source = ''
const ids = { run: '', session: '', hold: '' }

/** A store with a run that waits, and what a process leaves that is killed after its last commit. */
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-source-'))
  held.defer(() => rmSync(directory, { recursive: true, force: true }))
  source = join(directory, 'source.db')
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'] })
  const store = ['--store', `sqlite:${source}`]
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', ...store, 'go')
  const [{ hold_id }] = (await project.holdpoint('holds', '--json', ...store)).json
  // The mounts of these stories are other places: the first to decide there may.
  const database = openDatabase(source)
  database.exec('DELETE FROM places')
  database.close()
  Object.assign(ids, { run: paused.json.run_id, session: paused.json.session_id, hold: hold_id })
})
afterAll(() => held.dispose())

const COMMIT = `
  const database = new (require('node:sqlite').DatabaseSync)('disk/store.db')
  database.exec("PRAGMA wal_autocheckpoint = 0; UPDATE runs SET agent = 'late'")
  process.kill(process.pid, 'SIGKILL')`

/** The shell says that it was killed. */
const COMMITTED = '("$NODE" -e "$COMMIT" || true) 2>killed.txt;'

/** How a store stands when its disk is full. */
const LEFT: readonly (readonly [how: string, script: string])[] = [
  ['closed', ''],
  ['left with its log', `${COMMITTED} rm disk/store.db-shm;`],
  ['left with its log and the index of it', COMMITTED],
]

const FILL = 'dd if=/dev/zero of=disk/filler bs=1024 2>dd.txt || true;'
const TELL = `tell() { "$NODE" "$CLI" "$@" --json --store sqlite:disk/store.db >"$1.json" 2>"$1.txt" || echo "$1 $?"; cat "$1.txt"; }`

test.skipIf(!mayMount).each(LEFT)(
  `a store that was %s can be looked at on a full disk, changes nothing there, and goes on once there is room ${WHY}`,
  async (how, leave) => {
    const looks = [
      'holds',
      'runs',
      `show ${ids.run}`,
      'audit',
      `threads show ${ids.session}`,
      'tasks',
      'agents',
      'report',
    ]
    const script = `${TELL}
      cp "$SOURCE" disk/store.db; ${leave} ${FILL}
      ${looks.map(words => `tell ${words};`).join(' ')}
      "$NODE" "$CLI" audit verify --store sqlite:disk/store.db --json >verify.json
      tell doctor --offline; tell approve ${ids.hold};
      rm disk/filler; "$NODE" "$CLI" approve ${ids.hold} --store sqlite:disk/store.db --json >approved.json`
    const env = { CLI, SOURCE: source, COMMIT, HOLDPOINT_ACTOR: 'ana', HOME: tmpdir() }
    await onASmallDisk({ kilobytes: 1024, script, env }, async ({ stdout, stderr, exit }, directory) => {
      const read = async (name: string) => JSON.parse(await readFile(join(directory, `${name}.json`), 'utf8'))
      expect({ stdout, stderr, exit }).toEqual({ stdout: 'doctor 1\napprove 1\n', stderr: '', exit: 0 })
      expect(await read('holds')).toMatchObject([{ hold_id: ids.hold }])
      expect(await read('runs')).toMatchObject([{ run_id: ids.run, agent: how === 'closed' ? 'default' : 'late' }])
      expect(await read('show')).toMatchObject({ run_id: ids.run, status: 'waiting' })
      expect(await read('verify')).toMatchObject({ ok: true })
      expect(await read('approve')).toMatchObject({ error: { code: 'store_full' } })
      const { checks } = await read('doctor')
      expect(checks).toContainEqual(expect.objectContaining({ check: 'store', status: 'ok' }))
      expect(checks).toContainEqual({
        ...{ check: 'disk', status: 'fail', message: expect.stringContaining('free in') },
        hint: expect.stringMatching(/Make room.*can still be looked at/),
      })
      expect(await read('approved')).toMatchObject({ outcome: 'recorded' })
    })
  },
)

const EIO = 5
const ONCE = [1, 2, 3, 5, 8, 13, 21, 34].map(nth => `pread:.db:${nth}:${EIO}`)

test.skipIf(shim.missing !== null)(
  `a read that the disk fails is not told as damage, once or for good (${shim.missing ?? 'with LD_PRELOAD'})`,
  async () => {
    await using project = await aProject()
    await copyFile(source, project.path('store.db'))
    const store = ['--json', '--store', 'sqlite:store.db']
    for (const fault of [...ONCE, ...[1, 5, 13].map(nth => `pread:.db:${nth}+:${EIO}`)]) {
      const env = shim.env({ files: project.path('store.db'), faults: [fault] })
      const { exit, json, stdout } = await project.run(['runs', ...store], { env })
      if (exit === 0) expect(json, fault).toMatchObject([{ run_id: ids.run }])
      else expect(stdout, fault).toContain('"store_io"')
      const { checks } = (await project.run(['doctor', '--offline', ...store], { env })).json
      const [{ status, message, hint }] = checks.filter(({ check }: { check: string }) => check === 'store')
      if (status === 'fail') expect(message, fault).toContain('the disk failed to read or write')
      expect(`${message} ${hint}`, fault).not.toMatch(/damaged|backup/)
    }
  },
)
