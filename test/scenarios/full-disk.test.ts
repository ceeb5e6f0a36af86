import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ended } from './project.ts'

const DRIVER = resolve(import.meta.dirname, 'full-disk.mjs')

/** A mount of its own, which nobody else sees and which is gone with the shell. */
const APART = ['-rm', 'sh', '-euc']
const MOUNT = 'mkdir disk; mount -t tmpfs -o size=1m none disk;'
const mayMount = spawnSync('unshare', [...APART, `cd "$(mktemp -d)"; ${MOUNT}`]).status === 0

// biome-ignore lint/suspicious/noExplicitAny: results are checked by the tests that ask for them
type Results = readonly any[]

/** Each step is an act, by a process of its own, or a command of the shell. What the acts print, and all effects. */
async function onASmallDisk(...steps: readonly string[]): Promise<{ results: Results; effects: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-disk-'))
  try {
    const commands = steps.map(step => (step.includes(' ') ? step : `"$NODE" "$DRIVER" ${step} "$PWD"`))
    const shell = spawn('unshare', [...APART, [MOUNT, ...commands.map(command => `${command};`)].join(' ')], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', NODE: process.execPath, DRIVER },
    })
    const { stdout, stderr, exit } = await ended(shell)
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 })
    const results = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return { results, effects: await effectsIn(directory) }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function effectsIn(directory: string): Promise<string[]> {
  const text = await readFile(join(directory, 'effects.log'), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).toSorted()
}

const FULL = {
  thrown: 'store_full',
  message: expect.stringContaining('the disk is full'),
  hint: expect.stringContaining('Make room'),
}
const MAKE_ROOM = 'rm disk/filler'
const WHY = '(skipped where nothing can be mounted)'

test.skipIf(!mayMount)(
  `P3: a disk that is full when calls end repeats no effect once there is room ${WHY}`,
  async () => {
    const { results, effects } = await onASmallDisk('calls', MAKE_ROOM, 'finish')
    const [full, end] = results
    expect(full).toEqual(FULL)
    expect(end).toMatchObject({ asked: ['in_doubt one', 'in_doubt two', 'in_doubt three'], termination: 'natural_end' })
    expect(effects).toEqual(['one', 'three', 'two'])
  },
)

test.skipIf(!mayMount)(
  `P2: a decision that finds the disk full is not recorded, and can be given again ${WHY}`,
  async () => {
    const { results, effects } = await onASmallDisk('prepare', 'full:decide', 'finish')
    const [prepared, decided, end] = results
    expect(prepared).toBe('waiting')
    expect(decided).toEqual({ full: FULL, again: 'recorded' })
    expect(end).toMatchObject({ asked: [], termination: 'natural_end' })
    expect(effects).toEqual(['pay'])
  },
)

test.skipIf(!mayMount)(
  `a cancel that finds the disk full changes nothing, and can be asked for again ${WHY}`,
  async () => {
    const { results, effects } = await onASmallDisk('prepare', 'full:cancel', 'finish')
    expect(results[1]).toEqual({ full: FULL, again: 'cancelled' })
    expect(results[2]).toMatchObject({ asked: [], termination: 'cancelled' })
    expect(effects).toEqual([])
  },
)

test.skipIf(!mayMount)(`a message that finds the disk full is not queued, and can be sent again ${WHY}`, async () => {
  const { results, effects } = await onASmallDisk('prepare', 'full:send', 'finish')
  expect(results[1]).toEqual({ full: FULL, again: 'queued' })
  const said = results[2].messages.filter(({ content }: { content: unknown }) => content === 'more')
  expect(said).toHaveLength(1)
  expect(effects).toEqual(['pay'])
})

const LOCK = 'mount -o remount,ro disk'
const UNLOCK = 'mount -o remount,rw disk'
const READ_ONLY = {
  thrown: expect.stringMatching(/^store_(readonly|unopenable)$/),
  message: expect.stringContaining('store.db'),
  hint: expect.stringContaining('writ'),
}

test.skipIf(!mayMount).each(['decide', 'cancel', 'send', 'prepare', 'finish'])(
  `%s on a store that may only be read is refused, and the run goes on where it may be written again ${WHY}`,
  async act => {
    const { results, effects } = await onASmallDisk('prepare', LOCK, act, UNLOCK, 'finish')
    expect(results[1]).toEqual(READ_ONLY)
    expect(results[2]).toMatchObject({ asked: ['approval pay'], termination: 'natural_end' })
    expect(effects).toEqual(['pay'])
  },
)
