import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { suspendedBy, type ToolSuspendedError } from '../../src/testing/kit/tool-context.ts'
import { aBox, hasBox } from './a-box.ts'

describe.runIf(await hasBox())('a command in a box', () => {
  test('tells what it printed and its exit code, as outside', async () => {
    const box = aBox()
    expect(await box.run('echo out; echo err >&2; exit 3')).toEqual({
      exit_code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  test('changes files once its effect is permitted', async () => {
    const box = aBox({ files: { 'a.txt': 'a', 'b.txt': 'b', 'd/c.txt': 'c' } })
    const result = await box.run('echo A > a.txt; rm b.txt; mv d/c.txt d/e.txt; mkdir -p new/deep; echo n > new/deep/n')
    expect(result).toMatchObject({ exit_code: 0, files: '1 changed, 2 deleted, 2 created' })
    expect(box.files()).toEqual({ 'a.txt': 'A\n', 'd/e.txt': 'c', 'new/deep/n': 'n\n' })
  })

  test('P1: changes nothing if its effect is never permitted, and the model is told why', async () => {
    const box = aBox({ files: { 'a.txt': 'a', '.github/ci.yml': 'x' } })
    const run = box.run('echo A > a.txt; echo y > .github/new.yml', { effects: { never: ['.github/new.yml'] } })
    await expect(run).rejects.toThrow(
      'nothing of what it did was kept: effects.never covers what it changes (.github/new.yml)',
    )
    expect(box.files()).toEqual({ 'a.txt': 'a', '.github/ci.yml': 'x' })
  })

  test('keeps kinds, modes and links as they are', async () => {
    const box = aBox({ files: { 'a.sh': 'x', 'dir/inside': 'i', file: 'f' } })
    await box.run(
      'chmod +x a.sh; ln -s a.sh link; rm -r dir; echo now-a-file > dir; rm file; mkdir file; echo in > file/in',
    )
    expect(lstatSync(join(box.workdir, 'a.sh')).mode & 0o777).toBe(0o755)
    expect(readlinkSync(join(box.workdir, 'link'))).toBe('a.sh')
    expect(readFileSync(join(box.workdir, 'dir'), 'utf8')).toBe('now-a-file\n')
    expect(readFileSync(join(box.workdir, 'file/in'), 'utf8')).toBe('in\n')
  })

  test('a directory that was removed and made anew has only what is new', async () => {
    const box = aBox({ files: { 'd/old': 'o', 'd/sub/older': 'o', 'd/same': 's' } })
    await box.run('rm -r d; mkdir d; echo n > d/new; echo -n s > d/same')
    expect(box.files()).toEqual({ 'd/new': 'n\n', 'd/same': 's' })
  })

  test('what only touches a file has no effect', async () => {
    const box = aBox({ files: { a: 'a' } })
    expect(
      await box.run('touch a; chmod 644 a; mv a b; mv b a; cat a > t; rm t', { effects: { write: [], delete: [] } }),
    ).toEqual({
      exit_code: 0,
      signal: null,
      stdout: '',
      stderr: '',
    })
  })

  test('names of any kind come through', async () => {
    const box = aBox()
    const names = ['with space', 'ü', '-n', "it's", '"q"', 'a,b:c', 'back\\slash', 'new\nline', '*', '日本語']
    await box
      .run('node -e \'for (const n of JSON.parse(process.argv[1])) fs.writeFileSync(n, n)\' "$NAMES"', {
        context: {},
      })
      .catch(() => null)
    for (const name of names) writeFileSync(join(box.workdir, name), 'x')
    await box.run('for f in *; do printf y > "./$f"; done')
    for (const name of names) expect(readFileSync(join(box.workdir, name), 'utf8')).toBe('y')
  })

  test('a directory whose name looks like an option of a mount is no trouble', async () => {
    const box = aBox({ files: { 'odd,upperdir=x:y \\z/a': 'a' } })
    const workdir = join(box.workdir, 'odd,upperdir=x:y \\z')
    await box.run('echo b > a', { context: { workdir } })
    expect(readFileSync(join(workdir, 'a'), 'utf8')).toBe('b\n')
  })

  test('the records of Holdpoint, and what never names, are not there', async () => {
    const box = aBox({ files: { '.env': 'KEY=1', 'sub/.holdpoint/other.db': 'o', 'sub/.env.prod': 'K' } })
    const look =
      'cat .holdpoint/holdpoint.db sub/.holdpoint/other.db .env sub/.env.prod; ls -A .holdpoint sub/.holdpoint'
    const { stdout } = await box.run(look, { effects: { never: ['.env*'] } })
    expect(stdout).toBe('.holdpoint:\n\nsub/.holdpoint:\n')
  })

  test('its /tmp and its home last for the run, and are those of nobody else', async () => {
    const box = aBox()
    await box.run('echo kept > /tmp/note; echo mine > ~/note')
    expect(await box.run('cat /tmp/note ~/note')).toMatchObject({ stdout: 'kept\nmine\n' })
    expect(await box.run('cat /tmp/note ~/note', { context: { runId: 'run_other' } })).toMatchObject({ stdout: '' })
    expect(existsSync('/tmp/note')).toBe(false)
  })

  test('its environment has no key, pid 1 of the box neither', async () => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      OPENAI_API_KEY: 'sk-1',
      SSH_AUTH_SOCK: '/s',
      PLAIN: 'p',
    }
    const box = aBox({ environment })
    const { stdout } = await box.run("env; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline")
    expect(stdout).toContain('PLAIN=p')
    expect(stdout).not.toMatch(/OPENAI|SSH_AUTH|holdpoint-box-.*boxes/)
  })

  test('mounts do not tell where the store lies', async () => {
    const box = aBox()
    const { stdout } = await box.run('cat /proc/self/mountinfo /proc/self/mounts')
    expect(stdout).not.toContain('boxes/')
  })

  test('nothing is left running after it', async () => {
    const box = aBox()
    await box.run('sleep 321 & nohup setsid sleep 322 >/dev/null 2>&1 & disown -a; (sleep 323 &) ; true')
    const { stdout } = await box.run('true')
    expect(stdout).toBe('')
    expect(processes()).not.toMatch(/sleep 32[123]/)
  })

  test('a command whose time is over keeps nothing', async () => {
    const box = aBox({ files: { a: 'a' } })
    expect(await box.run('echo b > a; sleep 60', { timeout: 1 })).toMatchObject({ timed_out: true })
    expect(box.files()).toEqual({ a: 'a' })
  })

  test('P3: a command that is stopped has had no effect, and says that it has not begun', async () => {
    const box = aBox({ files: { a: 'a' } })
    const stop = new AbortController()
    const run = box.run('echo b > a; sleep 60', { context: { abortSignal: stop.signal } })
    setTimeout(() => stop.abort(new Error('stop')), 300)
    await expect(run).rejects.toMatchObject({ code: 'TOOL_CALL_NOT_BEGUN' })
    expect(box.files()).toEqual({ a: 'a' })
  })

  test('a box that cannot be made is no result of the command', async () => {
    const box = aBox({ files: { a: 'a' } })
    await expect(box.run('true', { context: { workdir: join(box.workdir, 'missing') } })).rejects.toThrow()
  })

  test('P9: what changed beneath the command while it ran is not overwritten', async () => {
    const box = aBox({ files: { a: 'a' } })
    const running = box.run('echo mine >> a; sleep 0.6', {})
    await new Promise(resolve => setTimeout(resolve, 300))
    writeFileSync(join(box.workdir, 'a'), 'yours\n')
    await running
    // It ran again on what was there then.
    expect(box.files()).toEqual({ a: 'yours\nmine\n' })
  })

  test('two commands at once on one file: the later one runs again on what the first one left', async () => {
    const box = aBox({ files: { count: '' } })
    await Promise.all(['1', '2', '3'].map(n => box.run(`sleep 0.2; echo ${n} >> count`)))
    expect(box.files()['count']?.trim().split('\n').toSorted()).toEqual(['1', '2', '3'])
  })

  test('P3: a call that is made again does not have its effect twice', async () => {
    const box = aBox({ files: { log: '' } })
    const once = { key: 'same' }
    await box.run('echo line >> log', once)
    expect(await box.run('echo line >> log', once)).toMatchObject({ exit_code: 0 })
    expect(box.files()).toEqual({ log: 'line\n' })
  })

  test('a link to a directory outside leads to what is there, and nothing is written by it', async () => {
    const box = aBox({ files: { a: 'a' } })
    mkdirSync(join(box.workdir, '../outside'))
    symlinkSync(join(box.workdir, '../outside'), join(box.workdir, 'out'))
    await box.run('echo x > out/x; echo y > /etc/y; echo z > /usr/z')
    expect(existsSync(join(box.workdir, '../outside/x'))).toBe(false)
    expect(existsSync('/etc/y')).toBe(false)
  })

  test('a directory that the command closed can be read and removed', async () => {
    const box = aBox({ files: { 'd/a': 'a' } })
    await box.run('mkdir e; echo b > e/b; chmod 000 e', { effects: { write: ['e/**'] } })
    expect(lstatSync(join(box.workdir, 'e')).mode & 0o777).toBe(0)
    chmodSync(join(box.workdir, 'e'), 0o755)
    expect(box.files()).toMatchObject({ 'e/b': 'b\n' })
  })
})

describe.runIf(await hasBox())('people decide about an effect', () => {
  const NONE = { write: [], delete: [] }
  const COMMAND = 'echo A > a; rm b; echo c > c'
  const files = { a: 'a', b: 'b' }

  async function asked(box: ReturnType<typeof aBox>): Promise<ToolSuspendedError['request']> {
    const thrown = await box.run(COMMAND, { key: 'k', effects: NONE }).catch((error: ToolSuspendedError) => error)
    return (thrown as ToolSuspendedError).request
  }

  test('P1: nothing has happened while they think, and they see all of it', async () => {
    const box = aBox({ files })
    const { preview = [], message } = await asked(box)
    expect(box.files()).toEqual(files)
    expect(message).toContain('effects.write does not cover')
    const titles = preview.map(part => part.title)
    expect(titles).toEqual(['Effect', 'Deleted (1)', 'a', 'c (new file)'])
  })

  test('P9: what they approve is what happens, without running it again', async () => {
    const box = aBox({ files })
    const request = await asked(box)
    const context = suspendedBy(request, { verdict: 'approve' })
    expect(await box.run(COMMAND, { key: 'k', effects: NONE, context })).toMatchObject({ exit_code: 0 })
    expect(box.files()).toEqual({ a: 'A\n', c: 'c\n' })
  })

  test('P9: what moved meanwhile is asked about anew', async () => {
    const box = aBox({ files })
    const request = await asked(box)
    writeFileSync(join(box.workdir, 'a'), 'theirs')
    const context = suspendedBy(request, { verdict: 'approve' })
    const again = box.run(COMMAND, { key: 'k', effects: NONE, context })
    await expect(again).rejects.toMatchObject({ request: { preview: expect.anything() } })
    expect(box.files()).toEqual({ a: 'theirs', b: 'b' })
  })

  test('where drift may rerun, the same effect on what moved is not asked about', async () => {
    const box = aBox({ files })
    const effects = { ...NONE, drift: 'rerun' } as const
    const thrown = await box.run(COMMAND, { key: 'k', effects }).catch((error: ToolSuspendedError) => error)
    writeFileSync(join(box.workdir, 'a'), 'theirs')
    const context = suspendedBy((thrown as ToolSuspendedError).request, { verdict: 'approve' })
    await box.run(COMMAND, { key: 'k', effects, context })
    expect(box.files()).toEqual({ a: 'A\n', c: 'c\n' })
  })

  test('they may keep some of the files', async () => {
    const box = aBox({ files })
    const request = await asked(box)
    const context = suspendedBy(request, { verdict: 'edit' })
    const result = await box.run(COMMAND, { key: 'k', effects: NONE, context, keep: ['a'] })
    expect(result).toMatchObject({ files: '1 changed' })
    expect(box.files()).toEqual({ a: 'A\n', b: 'b' })
  })

  test('P1: another command than the one they saw is tried out, and asked about', async () => {
    const box = aBox({ files })
    const request = await asked(box)
    const context = suspendedBy(request, { verdict: 'edit' })
    await expect(box.run('rm a', { key: 'k', effects: NONE, context })).rejects.toHaveProperty('request')
    expect(box.files()).toEqual(files)
  })
})

describe.runIf(await hasBox())('the network of a box', () => {
  async function aServer(): Promise<number> {
    const server = createServer((_, response) => response.end('hello'))
    onTestFinished(() => void server.close())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  test('a host that no rule names is refused at once, nothing is kept, and people are asked', async () => {
    const box = aBox()
    const port = await aServer()
    const asked = box.run(`curl -s --noproxy '' http://127.0.0.1:${port}/; echo x > made`)
    await expect(asked).rejects.toMatchObject({ request: { context: { connect_to: [`127.0.0.1:${port}`] } } })
    expect(box.files()).toEqual({})
  })

  test('a host that a person permitted is reached when the command runs again', async () => {
    const box = aBox()
    const port = await aServer()
    const command = `curl -s --noproxy '' http://127.0.0.1:${port}/ > got`
    const { request } = (await box
      .run(command, { key: 'k' })
      .catch((thrown: ToolSuspendedError) => thrown)) as ToolSuspendedError
    await box.run(command, { key: 'k', context: suspendedBy(request, { verdict: 'approve' }) })
    expect(box.files()).toEqual({ got: 'hello' })
  })

  test('rules permit a host, and refuse one without a question', async () => {
    const box = aBox()
    const port = await aServer()
    const get = `curl -s --noproxy '' http://127.0.0.1:${port}/`
    expect(await box.run(get, { effects: { hosts: [`127.0.0.1:${port}`] } })).toMatchObject({ stdout: 'hello' })
    const refused = await box.run(get, { effects: { hosts: ['!127.0.0.1'] } })
    expect(refused['stdout']).not.toContain('hello')
  })

  test('the network of the machine is not there', async () => {
    const box = aBox()
    const port = await aServer()
    const { stdout } = await box.run(
      `curl -s --noproxy '*' http://127.0.0.1:${port}/ || echo none; ls /sys/class/net 2>/dev/null`,
    )
    expect(stdout).toBe('none\n')
  })
})

describe.runIf(await hasBox())('a command on the directory itself', () => {
  const directly = { over: 'directory' } as const

  test('changes files at once, and sees neither records nor keys nor what never names', async () => {
    const box = aBox({ files: { '.env': 'KEY=1' }, environment: { PATH: process.env['PATH'], MY_API_KEY: 'k' } })
    const look = 'echo a > a; cat .env .holdpoint/holdpoint.db; env; ls .holdpoint'
    const { stdout } = await box.run(look, { ...directly, effects: { never: ['.env'] } })
    expect(box.files()).toMatchObject({ a: 'a\n' })
    expect(stdout).not.toMatch(/KEY=1|secret|MY_API_KEY|holdpoint.db/)
  })

  test('has the network of the machine, unless the policy names hosts', async () => {
    const box = aBox()
    const server = createServer((_, response) => response.end('hello'))
    onTestFinished(() => void server.close())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const get = `curl -s --noproxy '*' http://127.0.0.1:${(server.address() as AddressInfo).port}/; true`
    expect(await box.run(get, directly)).toMatchObject({ stdout: 'hello' })
    expect(await box.run(get, { ...directly, effects: { hosts: ['example.com'] } })).toMatchObject({ stdout: '' })
  })

  test('sees everything if it runs outside', async () => {
    const box = aBox()
    const { stdout } = await box.run('cat .holdpoint/holdpoint.db', { ...directly, outside: true })
    expect(stdout).toBe('secret')
  })
})

function processes(): string {
  const { readdirSync } = process.getBuiltinModule('node:fs')
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })
    .join('\n')
}
