/** A mounted server that asks people: its question is a hold, and its call goes on with their answer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Holdpoint, McpServerOptions } from '../../../src/index.ts'
import { advanced, ana, aWorkplace, call, onlyHold, results, started, type Workplace } from '../workplace.ts'

const NOTES = resolve(import.meta.dirname, 'notes-server.mjs')

async function askingPlace(tool: string, args: Record<string, string> = {}): Promise<Workplace> {
  const place = await aWorkplace({
    script: [{ calls: [call('A', `notes__${tool}`, args)] }, 'Done.'],
    tools: ['notes__*'],
    policy: { default: 'auto' },
  })
  await writeFile(join(place.directory, 'offer.json'), JSON.stringify({ tools: [{ name: tool }] }))
  return place
}

const LOCAL: McpServerOptions = { command: process.execPath, args: [NOTES] }

function opened(place: Workplace, notes: McpServerOptions = LOCAL): Promise<Holdpoint> {
  return place.open({ open: { mcpServers: { notes } } })
}

const SAYS = [
  [
    { verdict: 'respond', value: { name: 'Bo' } },
    { action: 'accept', content: { name: 'Bo' } },
  ],
  [{ verdict: 'reject', reason: 'no' }, { action: 'decline' }],
  [{ verdict: 'cancel' }, { action: 'cancel' }],
] as const

test.each(SAYS)('a call whose server asks waits for people, and goes on with %j', async (said, told) => {
  await using place = await askingPlace('ask')
  await using holdpoint = await opened(place)
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  const hold = await onlyHold(holdpoint)
  expect(hold).toMatchObject({
    kind: 'question',
    message: 'The MCP server notes asks: Who?',
    response_schema: { type: 'object', properties: {} },
  })
  await holdpoint.decide(hold.id, { ...said, ...ana })
  const [[, result] = []] = results(await advanced(holdpoint, run.id))
  expect(JSON.parse(String(result))).toEqual(told)
})

test('a page that a server wants opened is shown with the host that it leads to, and only if it is of the web', async () => {
  await using place = await askingPlace('visit', { url: 'https://p\u0430ypal.com/login' })
  await using holdpoint = await opened(place)
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold).toMatchObject({ risk: 'high', context: { host: 'xn--pypal-4ve.com' } })
  expect(hold.message).toContain('It leads to xn--pypal-4ve.com.')
  await holdpoint.decide(hold.id, { verdict: 'respond', value: hold.choices?.[0] ?? null, ...ana })
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', '{"action":"accept"}']])

  await using other = await askingPlace('visit', { url: 'file:///etc/passwd' })
  await using there = await opened(other)
  const declined = await advanced(there, (await started(there)).id)
  expect(results(declined)).toEqual([['A', '{"action":"decline"}']])
  expect(declined.warnings).toMatchObject([{ code: 'tool_warning', name: 'notes__visit' }])
})

test('a run that asks nobody declines at once, and says so', async () => {
  await using place = await askingPlace('ask')
  await using holdpoint = await place.open({ pauseOn: [], open: { mcpServers: { notes: LOCAL } } })
  const run = await started(holdpoint)
  const view = await advanced(holdpoint, run.id)
  expect(results(view)).toEqual([['A', '{"action":"decline"}']])
  expect(view.warnings).toMatchObject([{ code: 'tool_warning', message: expect.stringContaining('asks nobody') }])
})

test('P3: over a restart the call is in doubt, since the connection on which its server asked is gone', async () => {
  await using place = await askingPlace('ask')
  await using first = await opened(place)
  const run = await started(first)
  await advanced(first, run.id)
  await first[Symbol.asyncDispose]()
  await using second = await opened(place)
  await second.decide((await onlyHold(second)).id, { verdict: 'respond', value: {}, ...ana })
  expect(await advanced(second, run.id)).toMatchObject({ status: 'waiting' })
  const doubt = await onlyHold(second)
  expect(doubt).toMatchObject({ kind: 'in_doubt', message: expect.stringContaining('asked people over a connection') })
  await second.decide(doubt.id, { verdict: 'approve', ...ana })
  expect(await advanced(second, run.id)).toMatchObject({ status: 'waiting' })
  await second.decide((await onlyHold(second)).id, { verdict: 'respond', value: {}, ...ana })
  expect(results(await advanced(second, run.id))).toEqual([['A', '{"action":"accept","content":{}}']])
})

const PAGES = ['https://pay.example.org/1', 'https://pay.example.org/2']

async function paidPlace(args: { urls: readonly string[]; needs?: number }) {
  const place = await aWorkplace({
    script: [{ calls: [call('A', 'notes__paid', args)] }, 'Done.'],
    tools: ['notes__*'],
    policy: { default: 'auto' },
  })
  await writeFile(join(place.directory, 'offer.json'), JSON.stringify({ tools: [{ name: 'paid' }] }))
  const timesAsked = () => readFileSync(join(place.directory, 'effects.log'), 'utf8').split('\n').filter(Boolean).length
  return { place, timesAsked }
}

test.each(['live', 'after a restart'])(
  'a call that its server refuses until pages are opened asks for each, and is made again, %s',
  async life => {
    const { place, timesAsked } = await paidPlace({ urls: PAGES })
    await using _place = place
    const first = await opened(place)
    const run = await started(first)
    expect(await advanced(first, run.id)).toMatchObject({ status: 'waiting' })
    if (life !== 'live') await first[Symbol.asyncDispose]()
    await using holdpoint = life === 'live' ? first : await opened(place)
    for (const url of PAGES) {
      const hold = await onlyHold(holdpoint)
      expect(hold).toMatchObject({ kind: 'question', risk: 'high', context: { mode: 'url', url } })
      expect(timesAsked()).toBe(1)
      await holdpoint.decide(hold.id, { verdict: 'respond', value: hold.choices?.[0] ?? null, ...ana })
      await advanced(holdpoint, run.id)
    }
    expect(results(await holdpoint.run(run.id))).toEqual([['A', 'welcome']])
    expect(timesAsked()).toBe(2)
  },
)

test('a call that is refused again asks again, and one whose page nobody opens has failed without an effect', async () => {
  const { place, timesAsked } = await paidPlace({ urls: PAGES.slice(0, 1), needs: 9 })
  await using _place = place
  await using holdpoint = await opened(place)
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const first = await onlyHold(holdpoint)
  await holdpoint.decide(first.id, { verdict: 'respond', value: first.choices?.[0] ?? null, ...ana })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  const second = await onlyHold(holdpoint)
  expect([second.id === first.id, timesAsked()]).toEqual([false, 2])
  await holdpoint.decide(second.id, { verdict: 'reject', reason: 'no', ...ana })
  const [[, result] = []] = results(await advanced(holdpoint, run.id))
  expect(result).toContain('MCP_CALL_FAILED')
  expect(result).toContain('nobody opened it')
  expect(timesAsked()).toBe(2)
})

test.each([[['file:///etc/passwd']], [['javascript:alert(1)']], [['nowhere']], [[]]])(
  'a call that is refused until %j is opened fails, and nobody is asked',
  async urls => {
    const { place } = await paidPlace({ urls })
    await using _place = place
    await using holdpoint = await opened(place)
    const view = await advanced(holdpoint, (await started(holdpoint)).id)
    expect(results(view)).toEqual([['A', expect.stringContaining('MCP_CALL_FAILED')]])
  },
)

async function httpServer(
  place: Workplace,
  ...flags: readonly string[]
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [NOTES, '--http', ...flags], {
    cwd: place.directory,
    env: { PATH: process.env['PATH'] ?? '', TOKEN: 'secret-token-1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  return { child, url: `http://127.0.0.1:${String(port).trim()}/mcp` }
}

test.each(['live', 'after a restart'])(
  'a server of revision 2026-07-28 gets the answer with the call again, %s',
  async life => {
    await using place = await askingPlace('book', { text: 'booked' })
    const { child, url } = await httpServer(place, '--modern')
    const server = { url, headers: { Authorization: 'Bearer secret-token-1' } }
    try {
      await using first = await opened(place, server)
      const run = await started(first)
      expect(await advanced(first, run.id)).toMatchObject({ status: 'waiting' })
      if (life !== 'live') await first[Symbol.asyncDispose]()
      await using second = life === 'live' ? null : await opened(place, server)
      const holdpoint = second ?? first
      const hold = await onlyHold(holdpoint)
      expect(hold).toMatchObject({ kind: 'question', message: 'The MCP server notes asks: Which seat?' })
      await holdpoint.decide(hold.id, { verdict: 'respond', value: { seat: '4A' }, ...ana })
      const [[, result] = []] = results(await advanced(holdpoint, run.id))
      expect(JSON.parse(String(result))).toEqual({
        answer: { action: 'accept', content: { seat: '4A' } },
        state: 'kept',
      })
    } finally {
      child.kill('SIGKILL')
    }
  },
)

test.each([
  ['both revisions', ['--both'], 'server/discover'],
  ['older revisions alone', [], null],
  ['older revisions alone, and fails at what it does not know', ['--fails-unknown'], null],
] as const)('a server over HTTP that speaks %s is asked for the newest first', async (_, flags, first) => {
  await using place = await aWorkplace({
    script: [{ calls: [call('A', 'notes__write', { text: 'one' })] }, 'Done.'],
    tools: ['notes__*'],
    policy: { default: 'auto' },
  })
  const { child, url } = await httpServer(place, ...flags)
  try {
    await using holdpoint = await opened(place, { url, headers: { Authorization: 'Bearer secret-token-1' } })
    expect(results(await advanced(holdpoint, (await started(holdpoint)).id))).toEqual([['A', 'wrote one']])
  } finally {
    child.kill('SIGKILL')
  }
  if (first === null) return
  const methods = readFileSync(join(place.directory, 'asked.log'), 'utf8').trim().split('\n')
  expect(methods[0]).toBe(first)
  expect(methods).not.toContain('initialize')
})
