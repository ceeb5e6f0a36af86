/** P12: work that is longer than its model's window goes on, and nothing of it is lost. */
import { describe, expect, test } from 'vitest'
import type { JournalEvent } from '../../src/index.ts'
import { type ModelServer, tokensIn } from '../../src/testing/servers/model-server.ts'
import { aProject, ended, listed, type Project } from './project.ts'
import { ALL_WIRES, WIRES, type Wire } from './wires.ts'
import { advanced, aWorkplace, type Workplace } from './workplace.ts'

const WINDOW = 20_000
const SUMMARY = 'You write the summary'

const isSummary = (body: string) => body.includes(SUMMARY)
const sizes = (server: ModelServer) => server.requests.map(({ body }) => tokensIn(body))

const events = async (place: Workplace, threadId: string): Promise<JournalEvent[]> => {
  await using holdpoint = await place.open()
  const seen: JournalEvent[] = []
  for await (const event of holdpoint.follow(threadId, { since: 0, signal: AbortSignal.timeout(20_000) })) {
    if ('ephemeral' in event) continue
    seen.push(event)
    if (event.kind === 'run.finished') break
  }
  return seen
}

/** A worker that reads large files: the result of each is known by its first and last words. */
const reader =
  (wire: Wire, server: ModelServer, context: object = { window: WINDOW }) =>
  (it: Workplace) => ({
    model: wire.object(server.url),
    context,
    tools: [
      it.tool('read', {
        inputSchema: { type: 'object', properties: { file: { type: 'integer' }, size: { type: 'integer' } } },
        execute: async ({ file, size = 8_000 }: { file: number; size?: number }) =>
          `begin ${file} ${`${file} words of a file `.repeat(size).slice(0, size)} end ${file}`,
      }),
      it.held('deploy'),
    ],
  })

/** Reads file after file, and is done after the last one. With `note` its own words are long, too. */
const readsFiles = (count: number, note = 0) => {
  let file = 0
  return (body: string) => {
    if (isSummary(body)) return 'The files up to now were read.'
    file += 1
    return file > count
      ? 'All read.'
      : { calls: [{ id: `read_${file}`, name: 'read', args: { file, note: 'note '.repeat(note) } }] }
  }
}

describe.each(ALL_WIRES)('with $model', wire => {
  test('a run whose results are far longer than the window ends, and no request is longer than the window', async () => {
    await using server = await wire.open({ turns: readsFiles(40), window: WINDOW })
    await using place = await aWorkplace(reader(wire, server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'Read forty files.' })
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ answer: 'All read.', termination: { type: 'natural_end' }, warnings: [] })
    expect(Math.max(...sizes(server))).toBeLessThanOrEqual(WINDOW)
    expect(server.requests.every(({ violations }) => violations.length === 0)).toBe(true)
    // The journal has all of it, and its words are what people see.
    expect(
      view.messages.filter(message => message.role === 'tool').map(({ content }) => String(content).length),
    ).toEqual(Array.from({ length: 40 }, (_, index) => 8_000 + `begin ${index + 1}  end ${index + 1}`.length))
    const kinds = (await events(place, thread_id)).map(({ kind }) => kind)
    expect(kinds).toContain('context.compacted')
    expect(view.usage.input_tokens).toBe(sizes(server).reduce((sum, size) => sum + size, 0))
  })

  test('a refusal by a person from before the fold stands in every later request, word for word', async () => {
    const read = readsFiles(20, 1_000)
    const asksFirst = (body: string, answered: number) =>
      answered === 0 ? { calls: [{ id: 'dep', name: 'deploy', args: { to: 'production' } }] } : read(body)
    await using server = await wire.open({ turns: asksFirst, window: WINDOW })
    await using place = await aWorkplace(reader(wire, server))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'Deploy, then read twenty files.' })
    await holdpoint.advance(id)
    const [hold] = await holdpoint.holds({ status: 'open' })
    const reason = 'Not on a Friday: the release is frozen until the 3rd.'
    await holdpoint.decide(hold!.id, { verdict: 'reject', reason, decided_by: 'ana', surface: 'test' })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'All read.' })
    const sent = server.requests.map(({ body }) => JSON.stringify(body))
    const folded = sent.slice(sent.findIndex(isSummary)).filter(body => !isSummary(body))
    expect(folded.length).toBeGreaterThan(3)
    expect(folded.every(body => body.includes('ana rejected deploy') && body.includes(reason))).toBe(true)
    expect(folded.every(body => body.includes('Deploy, then read twenty files.'))).toBe(true)
    expect(place.effects).not.toContain('deploy')
  })

  test('a request that is refused as too long is shortened, and an approved call of its step is not lost', async () => {
    const calls = [
      { id: 'read_1', name: 'read', args: { file: 1, size: 60_000 } },
      { id: 'dep', name: 'deploy', args: {} },
    ]
    await using server = await wire.open({
      turns: (_, answered) => (answered === 0 ? { calls } : 'Done.'),
      window: 8_000,
    })
    await using place = await aWorkplace(reader(wire, server, {}))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'Go.' })
    await holdpoint.advance(id)
    const [hold] = await holdpoint.holds({ status: 'open' })
    await holdpoint.decide(hold!.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'Done.' })
    expect(place.effects.filter(effect => effect === 'deploy')).toHaveLength(1)
    expect(sizes(server).map(size => size > 8_000)).toEqual([false, true, false])
    const [, , last = ''] = server.requests.map(({ body }) => JSON.stringify(body))
    expect([last.includes('characters left out'), last.includes('deploy'), last.includes('read_result')]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('what was shortened is read back in pieces, without asking anybody', async () => {
    const read = readsFiles(14)
    let asked = 0
    const readsBack = (body: string) => {
      if (!body.includes('"read_result"') || asked >= 2) return read(body)
      asked += 1
      return {
        calls: [{ id: `back_${asked}`, name: 'read_result', args: { call_id: 'read_1', offset: 8_000 * (asked - 1) } }],
      }
    }
    await using server = await wire.open({ turns: readsBack, window: WINDOW })
    await using place = await aWorkplace(reader(wire, server))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'Read.' })
    const { messages } = await advanced(holdpoint, id)
    const content = (call: string) =>
      messages.find(message => message.role === 'tool' && message.tool_call_id === call)?.content
    const [one, two] = [content('back_1'), content('back_2')] as { text: string; next_offset: number | null }[]
    expect(`${one!.text}${two!.text}`).toBe(content('read_1'))
    expect([one!.next_offset, two!.next_offset]).toEqual([8_000, null])
    expect(JSON.stringify(server.requests[0]!.body)).not.toContain('read_result')
  })

  test('without a summary the run goes on with what fits, and its people are told', async () => {
    const read = readsFiles(20, 1_000)
    const fails = (body: string) => (isSummary(body) ? { error: { message: 'no summaries today' } } : read(body))
    await using server = await wire.open({ turns: fails, window: WINDOW })
    await using place = await aWorkplace(reader(wire, server))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'Read twenty files.' })
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ answer: 'All read.', warnings: [{ code: 'context_not_summarized' }] })
    expect(view.warnings[0]!.message).toContain('no summaries today')
    expect(Math.max(...sizes(server))).toBeLessThanOrEqual(WINDOW)
  })
})

/** Says what it was asked, or summarizes. */
const talks = (body: string, answered: number) => (isSummary(body) ? 'We spoke of ports.' : `Answer ${answered + 1}.`)

describe('a person who has the conversation folded', () => {
  const [wire] = WIRES as readonly [Wire]
  const worker = (server: ModelServer) => (it: Workplace) => ({
    model: wire.object(server.url),
    tools: [it.held('deploy')],
  })

  test('a conversation at rest is folded before the next message is answered, with what they want to keep', async () => {
    await using server = await wire.open({ turns: talks })
    await using place = await aWorkplace(worker(server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'The port is 8417.' })
    await holdpoint.advance(id)
    const wish = { by: 'ana', keep: 'the number of the port' }
    expect(await holdpoint.compact(thread_id, wish)).toMatchObject({ thread_id })
    expect(server.requests).toHaveLength(1)
    const next = await holdpoint.send(thread_id, { text: 'And now?', author: 'ana' })
    expect(await advanced(holdpoint, next.run_id)).toMatchObject({ status: 'done' })
    const [, summary = '', sent = ''] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(summary).toContain('the number of the port')
    const shows = ['We spoke of ports.', 'Answer 1.', 'And now?'].map(text => sent.includes(text))
    expect(shows).toEqual([true, false, true])
    const told = (await holdpoint.messages(thread_id)).map(({ content }) => String(content))
    expect(told.filter(text => text.includes('ana asked'))).toHaveLength(2)
    expect(told).toContain('Answer 1.')
    // The wish is carried out once.
    await advanced(holdpoint, (await holdpoint.send(thread_id, { text: 'More.', author: 'ana' })).run_id)
    expect(server.requests.map(({ body }) => isSummary(JSON.stringify(body)))).toEqual([false, true, false, false])
  })

  test('while a call waits for its approval, the wish is kept until the model is asked again, and the call runs', async () => {
    const turns = (body: string, answered: number) =>
      answered === 0 ? { calls: [{ id: 'dep', name: 'deploy', args: {} }] } : talks(body, answered)
    await using server = await wire.open({ turns })
    await using place = await aWorkplace(worker(server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'Deploy.' })
    await holdpoint.advance(id)
    await holdpoint.compact(thread_id, { by: 'ana' })
    const [hold] = await holdpoint.holds({ status: 'open' })
    await holdpoint.decide(hold!.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done' })
    expect(place.effects).toEqual(['deploy'])
    expect(server.requests.map(({ body }) => isSummary(JSON.stringify(body)))).toEqual([false, true, false])
  })

  test('it is refused where there is nothing to fold', async () => {
    await using server = await wire.open({ turns: talks })
    await using place = await aWorkplace(worker(server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'Hello.' })
    const refusal = (threadId: string, by: string) => holdpoint.compact(threadId, { by }).catch(thrown => thrown.code)
    expect(await refusal(thread_id, 'ana')).toBe('nothing_pending')
    await holdpoint.advance(id)
    expect(await refusal(thread_id, ' ')).toBe('invalid_arguments')
    expect(await refusal('th_0', 'ana')).toBe('unknown_session')
    expect((await holdpoint.thread(thread_id)).context.requested).toBeNull()
  })
})

/** Kills a command at the first request that fits, which gets no answer. */
const killedAt = async (fits: (body: string, before: readonly string[]) => boolean) => {
  let child: ReturnType<Project['start']> | null = null
  const before: string[] = []
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1)
  const left = [...numbers]
  const turns = (body: string) => {
    if (child !== null && fits(body, before)) {
      child.kill('SIGKILL')
      child = null
      return { text: 'Never heard.', delay_ms: 3_600_000 }
    }
    before.push(body)
    if (isSummary(body)) return 'The files up to now were read.'
    const file = left.shift()
    return file === undefined
      ? 'All read.'
      : { calls: [{ id: `r${file}`, name: 'read_file', args: { path: `${file}.txt`, note: 'note '.repeat(1_000) } }] }
  }
  const [wire] = WIRES
  await using server = await wire!.open({ turns, window: WINDOW })
  const files = Object.fromEntries(numbers.map(file => [`${file}.txt`, `file ${file} `.repeat(1_000)]))
  await using project = await aProject({
    files,
    policy: { tools: { read_file: 'auto' } },
    config: { context: { window: WINDOW } },
    env: { HOLDPOINT_MODEL: wire!.model, ...wire!.env(server.url) },
  })
  child = project.start(['-a', '-o', 'json', 'Read twelve files.'])
  await ended(child)
  const killed = server.requests.length
  expect((await project.run(['work', '--once'], { own: true })).exit).toBe(0)
  const [run] = await listed(project, 'runs')
  expect(run).toMatchObject({ status: 'done' })
  expect(Math.max(...sizes(server))).toBeLessThanOrEqual(WINDOW)
  return server.requests.slice(killed - 1, killed + 1).map(({ body }) => body)
}

test('killed right behind a compaction, the next process sends the same messages', async () => {
  const [first, again] = await killedAt((body, before) => before.some(isSummary) && !isSummary(body))
  expect(JSON.stringify(first)).toContain('The files up to now were read.')
  expect(again).toEqual(first)
})

test('killed while it waits for a summary, the next process asks for it again', async () => {
  const [first, again] = await killedAt(isSummary)
  expect(again).toEqual(first)
})
