import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { BOX_DEFAULTS } from '../../../src/tools/box/machine/box-settings.ts'
import { runSpace } from '../../../src/tools/box/machine/call-place.ts'
import { aBox, hasBox } from '../a-box.ts'

const LIMITS = BOX_DEFAULTS.limits

describe.runIf(await hasBox())('limits of a box', () => {
  test.each([
    ['processes', { processes: 60 }, 'for i in $(seq 300); do sleep 20 & done; wait', /more than 60 processes/],
    [
      'processes that cut every tie',
      { processes: 60 },
      'for i in $(seq 300); do setsid -f sleep 20 >/dev/null 2>&1; done; sleep 20',
      /more than 60 processes/,
    ],
    ['files', { written_files: 100 }, 'for i in $(seq 300); do : > f$i; done', /more than 100 files/],
    ['bytes', { written_bytes: 1e6 }, 'head -c 3000000 /dev/zero > big', /more than 1000000 bytes/],
    ['bytes of files with holes', { written_bytes: 1e6 }, 'truncate -s 900M big', /more than 1000000 bytes/],
    [
      'bytes of many files',
      { written_bytes: 1e6 },
      'for i in $(seq 30); do head -c 50000 /dev/zero > f$i; done',
      /more than/,
    ],
    ['bytes in /tmp', { written_bytes: 1e6 }, 'head -c 3000000 /dev/zero > /tmp/big', /more than 1000000 bytes/],
    ['bytes in the home', { written_bytes: 1e6 }, 'head -c 3000000 /dev/zero > ~/big', /more than 1000000 bytes/],
    [
      'bytes beside the socket of the proxy',
      { written_bytes: 1e6 },
      'head -c 3000000 /dev/zero > /run/holdpoint/big',
      /more than/,
    ],
    ['bytes without an end', { written_bytes: 1e6 }, 'yes > big', /more than 1000000 bytes/],
  ])('%s', async (_, limits, command, words) => {
    const box = aBox({ files: { a: 'a' }, settings: { limits: { ...LIMITS, ...limits } } })
    // Where the kernel counts, it refuses a process before anybody looks.
    const ended = await box.run(`${command}\n:`, { timeout: 30 }).catch((thrown: Error) => thrown)
    if (ended instanceof Error) expect(ended.message).toMatch(words)
    else expect(ended['stderr']).toMatch(/Resource temporarily unavailable/)
    expect(Object.keys(box.files())).toEqual(['a'])
  })

  test('a file is no longer than its limit', async () => {
    const box = aBox({ settings: { limits: { ...LIMITS, file_bytes: 1e6 } } })
    await box.run('head -c 3000000 /dev/zero > big')
    expect(lstatSync(join(box.workdir, 'big')).size).toBeLessThanOrEqual(1e6)
  })

  test('what is within its limits is kept', async () => {
    const limits = { ...LIMITS, processes: 60, written_files: 100, written_bytes: 1e6 }
    const box = aBox({ settings: { limits } })
    await box.run('for i in $(seq 20); do (sleep 0.1; echo x > f$i) & done; wait')
    expect(Object.keys(box.files())).toHaveLength(20)
  })
})

describe.runIf(await hasBox())('nothing writes once the command has ended', () => {
  test.each([
    ['in the background', '(while :; do echo x >> late; done) >/dev/null 2>&1 &'],
    ['without a terminal', 'nohup sh -c "while :; do echo x >> late; done" >/dev/null 2>&1 &'],
    ['in a session of its own', 'setsid sh -c "while :; do echo x >> late; done" >/dev/null 2>&1 &'],
    ['as a daemon', '(setsid sh -c "(while :; do echo x >> late; done) &" >/dev/null 2>&1 &)'],
    ['deaf to signals', '(trap "" TERM INT HUP; while :; do echo x >> late; done) >/dev/null 2>&1 &'],
  ])('%s', async (_, command) => {
    const box = aBox()
    await box.run(`${command}\nuntil [ -s late ]; do sleep 0.01; done`)
    const { size } = lstatSync(join(box.workdir, 'late'))
    const again = await box.run('wc -c < late')
    expect(Number(again['stdout'])).toBe(size)
  })
})

describe('the directory of runs', () => {
  function aTmp(): string {
    const tmp = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-tmp-')))
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(tmp, { recursive: true })
    })
    vi.stubEnv('TMPDIR', tmp)
    return tmp
  }
  const nameOf = (tmp: string) => join(tmp, `holdpoint-boxes-${process.getuid?.() ?? 0}`)

  test('is refused if it is a link that somebody made before', () => {
    const tmp = aTmp()
    mkdirSync(join(tmp, 'theirs'))
    symlinkSync(join(tmp, 'theirs'), nameOf(tmp))
    expect(() => runSpace('run_1')).toThrow('belongs to somebody else')
    expect(existsSync(join(tmp, 'theirs/s'))).toBe(false)
  })

  test.runIf(process.getuid?.() === 0)('is refused if somebody else made it before', async () => {
    const tmp = aTmp()
    mkdirSync(nameOf(tmp))
    const { chownSync } = await import('node:fs')
    chownSync(nameOf(tmp), 12_345, 12_345)
    expect(() => runSpace('run_1')).toThrow('belongs to somebody else')
  })

  test('is closed to others if it was open', () => {
    const tmp = aTmp()
    mkdirSync(nameOf(tmp))
    chmodSync(nameOf(tmp), 0o777)
    runSpace('run_1')
    expect(lstatSync(nameOf(tmp)).mode & 0o777).toBe(0o700)
  })
})
