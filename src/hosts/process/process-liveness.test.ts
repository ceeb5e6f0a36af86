import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { processLiveness } from './process-liveness.ts'

const names = processLiveness()
const [place = '', pid, started = ''] = names.self.split(':')

test('this process is found by its name, and is not gone', () => {
  const name = names.nameOf(process.pid)
  expect(names.self.startsWith(`${name}:`)).toBe(true)
  expect(names.find(String(name))).toEqual({ pid: process.pid, started })
  expect([names.isGone(names.self), names.isGone(String(name))]).toEqual([false, false])
})

test('two faces in one process have names of their own', () => {
  expect(processLiveness().self).not.toBe(names.self)
})

test('a process that ended is gone, even before it is collected, and is found by no name', async () => {
  const child = spawn('sleep', ['60'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const name = names.nameOf(child.pid ?? 0) ?? ''
  expect(names.isGone(name)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(names.isGone(name)).toBe(true)
  expect(names.find(name)).toBeNull()
  expect(names.nameOf(child.pid ?? 0)).toBeNull()
})

test('another process under the same id is not the one that is meant', () => {
  const before = `${place}:${pid}:${Number(started) - 1}`
  expect(names.isGone(before)).toBe(true)
  expect(names.find(before)).toBeNull()
})

test('what ran here before the machine was started anew is gone', () => {
  expect(place).toMatch(/^[^/]+\/[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}$/)
  const rebooted = place.replace(/-[0-9a-f]{8}-/, '-00000000-')
  expect(names.isGone(`${rebooted}:${pid}:${started}`)).toBe(true)
  expect(names.find(`${rebooted}:${pid}:${started}`)).toBeNull()
})

test.each([
  ['another machine', `elsewhere-2/${place.split('/')[1]}`],
  ['another machine of the same name', place.replace(/\/[0-9a-f]{8}-[0-9a-f]{8}/, '/00000000-00000000')],
  ['another container', place.replace(/[0-9a-f]{8}$/, '00000000')],
  ['an older Holdpoint', place.replace(/\/.*/, '/0123abcd')],
])('of what runs on %s nothing is known', (_what, other) => {
  expect(names.isGone(`${other}:${pid}:${started}`)).toBe(false)
  expect(names.isGone(`${other}:999999999:1`)).toBe(false)
  expect(names.find(`${other}:${pid}:${started}`)).toBeNull()
})

test('with a name of its own, what has that name in another container of this boot may live, and of another boot is gone', async () => {
  const module = JSON.stringify(new URL('./process-liveness.ts', import.meta.url))
  const ask = `import { processLiveness, thisHost } from ${module}
    const names = processLiveness()
    const [place] = names.self.split(':')
    const other = place.replace(/[0-9a-f]{8}$/, '00000000')
    const elsewhere = place.replace(/\\/.*/, '/00000000-00000000-00000000')
    const asked = [place, other, elsewhere, other.replace('web1', 'web2'), elsewhere.replace('web1', 'web2')]
    const told = asked.map(at => \`\${at}:\${process.pid}:1\`).map(name => [names.isGone(name), names.isUnseen(name)])
    console.log(JSON.stringify([thisHost(), place.split('/')[0], told]))`
  const env = { PATH: process.env['PATH'] ?? '', HOLDPOINT_HOST: 'web1' }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', ask], { env })
  const told = (await child.stdout.toArray()).join('')
  const gone = [true, false]
  const [unseen, unknown] = [
    [false, true],
    [false, false],
  ]
  // The first one names this process with another beginning: that one is gone too.
  expect(JSON.parse(told)).toEqual([{ id: 'web1', name: 'web1' }, 'web1', [gone, unseen, gone, unknown, unknown]])
})
