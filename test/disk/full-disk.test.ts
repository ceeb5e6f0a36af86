import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, CLI, effect } from '../scenarios/project.ts'
import { mayMount, onASmallDisk, WHY } from './small-disk.ts'

const DRIVER = resolve(import.meta.dirname, 'full-disk.mjs')

// biome-ignore lint/suspicious/noExplicitAny: results are checked by the tests that ask for them
type Results = readonly any[]

/** Each step is an act, by a process of its own, or a command of the shell. What the acts print, and all effects. */
async function onADisk(...steps: readonly string[]): Promise<{ results: Results; effects: string[] }> {
  const commands = steps.map(step => (step.includes(' ') ? step : `"$NODE" "$DRIVER" ${step} "$PWD"`))
  const script = commands.map(command => `${command};`).join(' ')
  return onASmallDisk({ kilobytes: 1024, script, env: { DRIVER } }, async ({ stdout, stderr, exit }, directory) => {
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 })
    const results = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return { results, effects: await effectsIn(directory) }
  })
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

test.skipIf(!mayMount)(
  `P3: a disk that is full when calls end repeats no effect once there is room ${WHY}`,
  async () => {
    const { results, effects } = await onADisk('calls', MAKE_ROOM, 'finish')
    const [full, end] = results
    expect(full).toEqual(FULL)
    expect(end).toMatchObject({ asked: ['in_doubt one', 'in_doubt two', 'in_doubt three'], termination: 'natural_end' })
    expect(effects).toEqual(['one', 'three', 'two'])
  },
)

test.skipIf(!mayMount)(
  `P2: a decision that finds the disk full is not recorded, and can be given again ${WHY}`,
  async () => {
    const { results, effects } = await onADisk('prepare', 'full:decide', 'finish')
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
    const { results, effects } = await onADisk('prepare', 'full:cancel', 'finish')
    expect(results[1]).toEqual({ full: FULL, again: 'cancelled' })
    expect(results[2]).toMatchObject({ asked: [], termination: 'cancelled' })
    expect(effects).toEqual([])
  },
)

test.skipIf(!mayMount)(`a message that finds the disk full is not queued, and can be sent again ${WHY}`, async () => {
  const { results, effects } = await onADisk('prepare', 'full:send', 'finish')
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

test.skipIf(!mayMount).each(['decide', 'cancel', 'send', 'finish'])(
  `%s on a store that may only be read is refused, and the run goes on where it may be written again ${WHY}`,
  async act => {
    const { results, effects } = await onADisk('prepare', LOCK, act, UNLOCK, 'finish')
    expect(results[1]).toEqual(READ_ONLY)
    expect(results[2]).toMatchObject({ asked: ['approval pay'], termination: 'natural_end' })
    expect(effects).toEqual(['pay'])
  },
)

test.skipIf(!mayMount)(`a run on a store that may only be read is told as it stands ${WHY}`, async () => {
  const { results } = await onADisk('prepare', LOCK, 'prepare', UNLOCK)
  expect(results).toEqual(['waiting', 'waiting'])
})

/** Of a session that waits, with more to say than the disk takes. */
const LONG = { script: [{ text: 'x'.repeat(200_000), calls: [effect('tc_1', 'one')] }, 'Done.'] }

/** In the project, on the side of the mount: a store lets people decide where it was used first. */
const PAUSE = `cd "$PROJECT"; "$NODE" "$CLI" --pause-on-approval -o json go >pause.json || true
  pause=$("$NODE" -p 'JSON.parse(fs.readFileSync("pause.json", "utf8")).checkpoint_id');`

test.skipIf(!mayMount)(`output that a disk takes in part is lost, and told as such ${WHY}`, async () => {
  await using project = await aProject(LONG)
  const command = `"$NODE" "$CLI" checkpoint export "$pause" --out -`
  const script = `${PAUSE} ${command} >"$OLDPWD/disk/all" || echo $?; ${command}`
  const env = { CLI, PROJECT: project.directory, ...project.environment }
  await onASmallDisk({ kilobytes: 64, script, env }, ({ stdout, stderr }) => {
    const [exit, ...again] = stdout.split('\n')
    expect([exit, again.join('').length > 200_000]).toEqual(['1', true])
    expect(stderr).toMatch(/^The output could not be written: ENOSPC/)
  })
})

test.skipIf(!mayMount)(`P4: an export that finds no room leaves its session where it is ${WHY}`, async () => {
  await using project = await aProject(LONG)
  const script = `${PAUSE} "$NODE" "$CLI" checkpoint export "$pause" --out "$OLDPWD/disk/out" --json || echo $?
    ls "$OLDPWD/disk"; "$NODE" "$CLI" -c "$pause" --approve tc_1 >/dev/null`
  const env = { CLI, PROJECT: project.directory, ...project.environment }
  await onASmallDisk({ kilobytes: 64, script, env }, ({ stdout, exit }) => {
    const [document = '', ...rest] = stdout.trim().split('\n')
    expect(JSON.parse(document)).toMatchObject({ outcome: 'refused', error: { code: 'unwritable_file' } })
    expect([...rest, exit]).toEqual(['2', 0])
  })
  expect(await project.effects()).toEqual(['one'])
})
