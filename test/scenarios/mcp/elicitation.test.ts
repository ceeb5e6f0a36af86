import type { Client, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { visibleText } from '../../../src/core/text/visible-text.ts'
import type { Hold, Holdpoint } from '../../../src/index.ts'
import { advanced, aWorkplace, call, onlyHold, started, type Workplace } from '../workplace.ts'
import { connected, ERAS, type Era, inProcess, type McpHttp, textOf } from './clients.ts'
import { anOffer } from './sample-offer.ts'

const eras = Object.keys(ERAS) as Era[]
const HIDDEN = 'rm\u202e -rf /'

interface Dialogue extends AsyncDisposable {
  readonly client: Client
  readonly holdpoint: Holdpoint
  readonly hold: Hold
  readonly asked: ElicitRequestFormParams[]
  readonly shown: string[]
  /** All that the client sent, to be sent again. */
  readonly sent: readonly Request[]
  readonly http: McpHttp
  ask(holdId?: string): ReturnType<Client['callTool']>
}

/** A hold, and a client whose person says this to whatever form they see. */
async function aDialogue(
  place: Workplace,
  era: Era,
  said: ElicitResult | (() => Promise<ElicitResult>),
): Promise<Dialogue> {
  const sent: Request[] = []
  const holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id, { pauseOn: ['approval', 'question', 'input'] })
  const hold = await onlyHold(holdpoint)
  const shown: string[] = []
  const server = inProcess(
    anOffer({ asking: { holdpoint, visibleText, onShow: async ({ id }) => void shown.push(id) } }),
  )
  const http: McpHttp = {
    answer: request => {
      sent.push(request.clone())
      return server.answer(request)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  const client = await connected(http, era, { capabilities: { elicitation: { form: {} } } })
  const asked: ElicitRequestFormParams[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params as ElicitRequestFormParams)
    return typeof said === 'function' ? said() : said
  })
  return {
    client,
    holdpoint,
    hold,
    asked,
    shown,
    sent,
    http,
    ask: (holdId = hold.id) => client.callTool({ name: 'ask_user', arguments: { hold_id: holdId } }),
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]()
      await holdpoint[Symbol.asyncDispose]()
    },
  }
}

function aHeldCall(): Promise<Workplace> {
  return aWorkplace(place => ({
    script: [{ calls: [call('tc_1', 'wipe', { command: HIDDEN, deep: { all: [1, 2, 3] } })] }, 'Done.'],
    tools: [place.held('wipe', { destructive: true })],
  }))
}

function accept(content: NonNullable<ElicitResult['content']>): ElicitResult {
  return { action: 'accept', content }
}

test.each(eras)('%s: an approval by the person at the client is theirs, through their client', async era => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, era, accept({ decision: 'approve', reason: 'seen' }))
  const { hold, holdpoint } = dialogue
  const { structuredContent } = await dialogue.ask()
  expect(structuredContent).toMatchObject({ outcome: 'recorded', hold_id: hold.id, hold_status: 'decided' })
  expect((await holdpoint.hold(hold.id))?.decision).toMatchObject({
    verdict: 'approve',
    reason: 'seen',
    decided_by: 'ana',
    surface: 'mcp-elicitation',
    digest: hold.digest,
  })
  await advanced(holdpoint, hold.run_id)
  expect(place.effects).toEqual(['wipe'])
})

test.each(eras)('%s: P9: the form shows the call in full, with what is invisible made visible', async era => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, era, { action: 'decline' })
  await dialogue.ask()
  const [form] = dialogue.asked
  expect(form?.message).toContain('    wipe\n')
  expect(form?.message).toContain('$ rm\\u{202e} -rf /')
  expect(form?.message).not.toContain('\u202e')
  expect(form?.message.replaceAll(/\s/g, '')).toContain('deep:{"all":[1,2,3]}')
  expect(form?.message).toContain('recorded as ana')
  expect(form?.requestedSchema.required).toEqual(['decision'])
  expect(dialogue.shown).toEqual([dialogue.hold.id])
})

test.each([
  ['latest', 'decline', 'declined'],
  ['older', 'decline', 'declined'],
  ['latest', 'cancel', 'dismissed'],
  ['older', 'cancel', 'dismissed'],
] as const)('%s: where the person chooses %s, nothing is recorded', async (era, action, outcome) => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, era, { action })
  const { structuredContent } = await dialogue.ask()
  expect(structuredContent).toMatchObject({ outcome, hold_status: 'open', decision: null })
  expect(await dialogue.holdpoint.hold(dialogue.hold.id)).toMatchObject({ status: 'open', decision: null })
})

test.each(eras)('%s: a question with choices is a list, and the choice is its answer', async era => {
  await using place = await aWorkplace({
    script: [{ calls: [call('tc_1', 'ask_human', { question: 'Which?', choices: ['red', 'blue'] })] }, 'Done.'],
    tools: ['ask_human'],
  })
  await using dialogue = await aDialogue(place, era, accept({ answer: 'blue' }))
  expect((await dialogue.ask()).structuredContent).toMatchObject({ decision: { verdict: 'respond', value: 'blue' } })
  expect(dialogue.asked[0]?.requestedSchema.properties).toMatchObject({
    answer: { type: 'string', enum: ['red', 'blue'] },
  })
})

test('a question with a simple schema is a form of its fields; what does not fit is refused and the hold stays open', async () => {
  const schema = {
    type: 'object',
    properties: { seats: { type: 'integer', minimum: 1 }, vegetarian: { type: 'boolean' } },
    required: ['seats'],
    additionalProperties: false,
  }
  await using place = await aWorkplace({
    script: [{ calls: [call('tc_1', 'ask_human', { question: 'How many?', schema })] }, 'Done.'],
    tools: ['ask_human'],
  })
  const answers = [{ seats: 0 }, { seats: 4, vegetarian: true }]
  await using dialogue = await aDialogue(place, 'latest', async () => accept(answers.shift() ?? {}))
  const refused = await dialogue.ask()
  expect(textOf(refused).error).toMatchObject({ code: 'invalid_answer', message: expect.stringContaining('seats') })
  expect((await dialogue.ask()).structuredContent).toMatchObject({
    decision: { value: { seats: 4, vegetarian: true } },
  })
  expect(dialogue.asked[0]?.requestedSchema).toMatchObject({
    properties: { seats: { type: 'integer', minimum: 1 }, vegetarian: { type: 'boolean' } },
    required: ['seats'],
  })
})

test('an agent that waits for a text is replied to, or its text accepted', async () => {
  await using place = await aWorkplace({ script: ['What next?', 'Done.'] })
  await using dialogue = await aDialogue(place, 'latest', accept({ decision: 'respond', reply: 'go on' }))
  expect((await dialogue.ask()).structuredContent).toMatchObject({ decision: { verdict: 'respond', value: 'go on' } })
})

test.each(eras)('%s: P2: a hold that somebody decided while the form was open tells who was first', async era => {
  await using place = await aHeldCall()
  const ben = { verdict: 'reject', decided_by: 'ben', surface: 'test' } as const
  await using dialogue: Dialogue = await aDialogue(place, era, async () => {
    await dialogue.holdpoint.decide(dialogue.hold.id, ben)
    return accept({ decision: 'approve' })
  })
  const late = await dialogue.ask()
  expect(textOf(late).error).toMatchObject({ code: 'already_decided', message: expect.stringContaining('ben') })
  const again = await dialogue.ask()
  expect(textOf(again).error.code).toBe('already_decided')
  expect(dialogue.asked).toHaveLength(1)
})

test('who may not decide is not asked', async () => {
  await using place = await aWorkplace(at => ({
    script: [{ calls: [call('tc_1', 'wipe')] }, 'Done.'],
    tools: [at.held('wipe', { deciders: ['ben'] })],
  }))
  await using dialogue = await aDialogue(place, 'latest', accept({ decision: 'approve' }))
  expect(textOf(await dialogue.ask()).error).toMatchObject({
    code: 'not_a_decider',
    hint: expect.stringContaining('ben'),
  })
  expect(dialogue.asked).toEqual([])
  expect(textOf(await dialogue.ask('hold_nope')).error.code).toBe('unknown_hold')
})

test.each(eras)('%s: a client that cannot show forms is told so, with what else there is', async era => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, era, accept({ decision: 'approve' }))
  await using http = inProcess(anOffer({ asking: { holdpoint: dialogue.holdpoint } }))
  const client = await connected(http, era)
  const refused = await client.callTool({ name: 'ask_user', arguments: { hold_id: dialogue.hold.id } })
  expect(textOf(refused).error).toMatchObject({
    code: 'no_elicitation',
    hint: expect.stringMatching(/ask a person.*decide_hold/s),
  })
})

test('P2: the same form that arrives twice is one decision', async () => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, 'latest', accept({ decision: 'approve' }))
  expect((await dialogue.ask()).structuredContent).toMatchObject({ outcome: 'recorded' })
  const again = await dialogue.http.answer(dialogue.sent.at(-1) as Request)
  const { result } = (await again.json()) as { result: { structuredContent: object } }
  expect(result.structuredContent).toMatchObject({ outcome: 'duplicate', hold_status: 'decided' })
})

test('P1: the form of one hold decides no other', async () => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, 'latest', { action: 'decline' })
  const { holdpoint, hold, http, sent } = dialogue
  await dialogue.ask()
  await advanced(holdpoint, (await started(holdpoint)).id)
  const other = (await holdpoint.holds({ status: 'open' })).find(({ id }) => id !== hold.id) as Hold
  const filled = sent.at(-1) as Request
  const text = (await filled.clone().text()).replace(hold.id, other.id).replace('"decline"', '"accept"')
  const forged = text.replace('"action":"accept"', '"action":"accept","content":{"decision":"approve"}')
  const answer = await http.answer(new Request(filled, { body: forged }))
  expect(await answer.json()).toMatchObject({ result: { resultType: 'input_required' } })
  expect(await holdpoint.hold(other.id)).toMatchObject({ status: 'open', decision: null })
})

test('P1: an answer that comes without a form of ours, or with a forged one, decides nothing', async () => {
  await using place = await aHeldCall()
  await using dialogue = await aDialogue(place, 'latest', { action: 'decline' })
  const { client, hold, holdpoint } = dialogue
  const params = { name: 'ask_user', arguments: { hold_id: hold.id } }
  const inputResponses = { decision: accept({ decision: 'approve' }) }
  await client.request({ method: 'tools/call', params: { ...params, inputResponses } })
  const forged = client.request({
    method: 'tools/call',
    params: { ...params, inputResponses, requestState: 'v1.forged.x' },
  })
  await expect(forged).rejects.toMatchObject({ code: -32_602 })
  expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'open' })
})
