import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
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

/** A store of 2.5 MB, with a run that waits. */
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-source-'))
  held.defer(() => rmSync(directory, { recursive: true, force: true }))
  source = join(directory, 'source.db')
  await using project = await aProject({ script: [{ text: 'x'.repeat(2_000_000), calls: [effect('tc_1', 'one')] }] })
  await project.holdpoint('--pause-on-approval', '-o', 'json', '--store', `sqlite:${source}`, 'go')
})
afterAll(() => held.dispose())

const COPY = '"$NODE" "$CLI" store copy sqlite:source.db sqlite:disk/copy.db'
const START = 'cp "$SOURCE" source.db;'

/** Of the source with its log, a little more, and much less. */
const SIZES = [64, 256, 1024, 2100, 2500, 2900, 3300, 4100, 4900, 5400]

test.skipIf(!mayMount).each(SIZES)(
  `a copy onto a disk of %s KB is whole, or fails and leaves a source that can go on or be copied again ${WHY}`,
  async kilobytes => {
    const script = `${START} told() { name=$1; shift; if "$@" >$name.txt 2>&1; then echo "$name 0"; else echo "$name $?"; fi; }
      told first ${COPY};
      mkdir one; cp -r source.db* disk one; rm -f one/disk/copy.db;
      mount -o remount,size=32m disk;
      told again ${COPY};
      cp disk/copy.db copy.db;
      cd one; told given-up ${COPY} --give-up; rm -f disk/*; told anew ${COPY}`
    await onASmallDisk({ kilobytes, script, env: { CLI, SOURCE: source } }, ({ stdout, stderr }, directory) => {
      const [first, ...told] = stdout.trim().split('\n')
      expect(stderr).toBe('')
      // Before the first row there is nothing to give up: the source is as it was.
      if (first !== 'first 0') expect(told).toEqual(['again 0', expect.stringMatching(/^given-up [02]$/), 'anew 0'])
      else expect(told[0]).toBe('again 0')
      expectWhole(join(directory, 'copy.db'))
      if (first !== 'first 0') expectWhole(join(directory, 'one/disk/copy.db'))
    })
  },
)

test.skipIf(!mayMount)(`a copy that found the disk full goes on once there is room ${WHY}`, async () => {
  const script = `${START} ${COPY} --json || echo " exit $?"; mount -o remount,size=32m disk; ${COPY} --json; cp disk/copy.db copy.db`
  await onASmallDisk({ kilobytes: 2900, script, env: { CLI, SOURCE: source } }, ({ stdout, exit }, directory) => {
    const [first = '', code, second = ''] = stdout.trim().split('\n')
    expect(JSON.parse(first)).toMatchObject({ outcome: 'failed', error: { code: 'store_full' } })
    expect(JSON.parse(first).error.hint).toContain('--give-up')
    expect([code, exit]).toEqual([' exit 1', 0])
    expect(JSON.parse(second)).toMatchObject({ rows: { runs: 1 }, journal_hash: expect.any(String) })
    expectWhole(join(directory, 'copy.db'))
  })
})

/** Calls of the system that fail while a copy is made: the file, its log, and the directory that names them. */
const FAILING = [
  ...[1, 2, 3].map(nth => `fsync:.copying:${nth}`),
  ...[1, 5, 10].map(nth => `fsync:.copying-wal:${nth}`),
  ...[1, 200, 556].map(nth => `pwrite:.copying:${nth}`),
  ...[3, 100].map(nth => `pread:.copying:${nth}`),
  ...['ftruncate:.copying:1', 'ftruncate:.copying-wal:1', 'link:.copying:1', 'fsync:target:1+'],
]

test.skipIf(shim.missing !== null).each(FAILING)(
  `a copy whose %s fails is not told as whole, and can be given up or go on (${shim.missing ?? 'with LD_PRELOAD'})`,
  async fault => {
    await using project = await aProject({ files: { 'target/notes': '' } })
    await copyFile(source, project.path('source.db'))
    const copy = ['store', 'copy', 'sqlite:source.db', 'sqlite:target/copy.db', '--json']
    const env = shim.env({ files: project.path('target'), faults: [`${fault}:${EIO}`] })
    const first = await project.run(copy, { env })
    // A read that fails once is tried again.
    if (first.exit === 0 && fault.startsWith('pread')) return expectWhole(project.path('target', 'copy.db'))
    expect(first).toMatchObject({ exit: 1, json: { error: { code: 'store_io' } } })
    if (first.json.error.hint.includes('--give-up')) {
      await copyFile(project.path('source.db'), project.path('another.db'))
      expect(await project.run([...copy, '--give-up'])).toMatchObject({ exit: 0 })
      await copyFile(project.path('another.db'), project.path('source.db'))
    }
    expect(await project.run(copy)).toMatchObject({ exit: 0 })
    expectWhole(project.path('target', 'copy.db'))
  },
)

const EIO = 5

function expectWhole(path: string): void {
  using database = openDatabase(path, { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('SELECT count(*) AS runs FROM runs').get()).toEqual({ runs: 1 })
  expect(database.prepare('SELECT sum(length(data)) > 2000000 AS much FROM events').get()).toEqual({ much: 1 })
}
