import { expect, test } from 'vitest'
import type { Holdpoint } from '../../src/index.ts'
import { aProject } from './project.ts'
import { aServer } from './server/server-process.ts'
import { ALL_WIRES, WIRES } from './wires.ts'
import { advanced, ana, aWorkplace, call, onlyHold, type Workplace } from './workplace.ts'

const HALF = 'cut \ud83d'
const OTHER_HALF = '\ude00 rest'
const MENDED = 'cut \ufffd'

const CALLS = [
  call('text'),
  call('json'),
  call('fails'),
  call('parts'),
  call('echo', 'echo', { [HALF]: [OTHER_HALF] }),
  { id: 'broken', name: 'echo', raw_args: `{"a": "${HALF}` },
]

function tools(it: Workplace) {
  return [
    it.tool('text', { execute: () => HALF }),
    it.tool('json', { execute: () => ({ deep: [{ [HALF]: OTHER_HALF }] }) }),
    it.tool('fails', {
      execute: () => {
        throw new Error(HALF)
      },
    }),
    it.tool('parts', {
      execute: async () => {
        const { toolParts } = await import('../../src/index.ts')
        return toolParts([
          { type: 'text', text: HALF },
          { type: 'text', text: OTHER_HALF },
        ] as const)
      },
    }),
    it.tool('echo', { execute: args => args }),
  ]
}

/** What is sent of a thread for ever after: nothing in its journal is half a character. */
async function expectMended(holdpoint: Holdpoint, thread: string): Promise<void> {
  const written = JSON.stringify(await holdpoint.journal(thread))
  expect(written).toContain(MENDED)
  expect(written).not.toMatch(/\\ud[89a-f]/)
}

test.each(ALL_WIRES)('half a character from anywhere leaves the thread with $model alive', async wire => {
  await using server = await wire.open({
    turns: [
      { text: `I say ${HALF}`, calls: CALLS },
      { calls: [call('ask', 'ask_human', { question: HALF })] },
      'Done.',
      'Yes.',
    ],
  })
  await using place = await aWorkplace(it => ({
    model: wire.object(server.url),
    tools: [...tools(it), 'ask_human'],
    pauseOn: ['question'],
  }))
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: `go ${HALF}`, author: 'ana' })
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting' })
  const hold = await onlyHold(holdpoint)
  expect(hold.message).toBe(MENDED)
  await holdpoint.answer(hold.id, { text: OTHER_HALF, ...ana })
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  const next = await holdpoint.send(thread_id, { parts: [{ type: 'text', text: HALF }, PNG] })
  expect(await advanced(holdpoint, next.run_id)).toMatchObject({ answer: 'Yes.' })
  expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
  await expectMended(holdpoint, thread_id)
})

const PNG = {
  type: 'image',
  media_type: 'image/png',
  name: `${HALF}.png`,
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAI=',
} as const

test('a message with half a character that is sent again under its id is the same message', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'] })
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  const message = { text: HALF, inputId: 'in_1' }
  await advanced(holdpoint, id)
  const { outcome } = await holdpoint.send(thread_id, message)
  expect([outcome, (await holdpoint.send(thread_id, message)).outcome]).toEqual(['started', 'duplicate'])
  await expect(holdpoint.send(thread_id, { text: 'x', inputId: HALF })).rejects.toMatchObject({
    code: 'invalid_message',
  })
})

test('P9: an approved call with half a character runs as it was shown, without another question', async () => {
  const ran: unknown[] = []
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('pay', 'pay', { to: HALF })] }, 'Done.'],
    tools: [
      it.held('pay', {
        inputSchema: { type: 'object', description: HALF },
        execute: args => {
          ran.push(args)
          return 'paid'
        },
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id)
  const hold = await onlyHold(holdpoint)
  expect(hold.arguments).toEqual({ to: MENDED })
  await holdpoint.decide(hold.id, { verdict: 'approve', ...ana, reason: HALF })
  await using other = await place.open()
  expect(await advanced(other, id)).toMatchObject({ status: 'done' })
  expect(ran).toEqual([{ to: MENDED }])
  await expectMended(holdpoint, thread_id)
})

test('a thread of an older version that has half a character is answered again', async () => {
  const [wire] = WIRES
  if (!wire) return
  await using server = await wire.open({ turns: ['One.', 'Two.'] })
  await using place = await aWorkplace({ model: wire.object(server.url) })
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go MARK' })
  await advanced(holdpoint, id)
  place.inFile(database => database.exec(`UPDATE events SET data = replace(data, 'MARK', '\\ud83d')`))
  await using later = await place.open()
  const next = await later.send(thread_id, { text: 'go on' })
  expect(await advanced(later, next.run_id)).toMatchObject({ answer: 'Two.' })
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('go \ufffd')
})

test('half a character that comes over HTTP is mended in the journal', async () => {
  const [wire] = WIRES
  if (!wire) return
  await using model = await wire.open({ turns: ['One.'] })
  await using project = await aProject({ env: { HOLDPOINT_MODEL: wire.model, ...wire.env(model.url) } })
  await using server = await aServer(project)
  const { json: started } = await server.send('/v1/threads', { body: { input: HALF } })
  const said = await server.send(`/v1/threads/${started.thread_id}/messages`)
  expect(said.json.messages[0]).toMatchObject({ content: MENDED })
})
