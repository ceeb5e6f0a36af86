import { rm, symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import type { Hold, Holdpoint, Json, JsonObject, Tool } from '../../src/index.ts'
import { callDigest } from '../../src/runtime/definitions/call-digest.ts'
import { historyFaults } from './history-faults.ts'
import { journalOf } from './journal.ts'
import { aProject } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, openHold, results, started, type Workplace } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const

const SCHEMA = { type: 'object', properties: { order: { type: 'string' }, amount: { type: 'number' } } } as const
const CHANGED = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number', description: 'In cents.' } },
} as const

/** Writes down what it pays. */
function pay(place: Workplace, inputSchema: JsonObject = SCHEMA): Tool {
  return place.held('pay', {
    inputSchema,
    execute: ({ amount }: Record<string, Json>) => {
      place.effects.push(`paid ${amount}`)
      return { paid: amount as Json }
    },
  })
}

/** A run whose call of `pay` somebody approved, or edited, and that nobody has advanced since. */
async function approved(said: object = approve): Promise<{ place: Workplace; run: string }> {
  const place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { order: '7', amount: 1 })] }, 'Done.'],
    tools: [pay(place)],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  expect(await holdpoint.decide((await onlyHold(holdpoint)).id, said as never)).toMatchObject({ outcome: 'recorded' })
  return { place, run: run.id }
}

/** The fresh hold of a call that is not what was approved. Nothing ran. */
async function heldAnew(place: Workplace, holdpoint: Holdpoint, run: string): Promise<Hold> {
  expect(await advanced(holdpoint, run)).toMatchObject({ status: 'waiting', calls: [{ id: 'A', status: 'suspended' }] })
  expect(place.effects).toEqual([])
  return onlyHold(holdpoint)
}

const SHA256 = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
const CODE = { path: 'tool_code', was: SHA256, is: SHA256 }
const AMOUNT = { path: 'schema.properties.amount.description', was: null, is: 'In cents.' }

test('P9: a tool whose schema changed after the approval does not run; a fresh hold names the difference', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using holdpoint = await place.open({ tools: [pay(place, CHANGED)] })
  const hold = await heldAnew(place, holdpoint, run)
  expect(hold).toMatchObject({
    kind: 'approval',
    tool: 'pay',
    arguments: { order: '7', amount: 1 },
    message: expect.stringContaining('changed'),
    context: { differences: [AMOUNT] },
    tool_schema: CHANGED,
  })
  await holdpoint.decide(hold.id, approve)
  expect(results(await advanced(holdpoint, run))).toEqual([['A', { paid: 1 }]])
  expect(place.effects).toEqual(['paid 1'])
})

test('P9: what drifted can be rejected, and the model is told so', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using holdpoint = await place.open({ tools: [pay(place, CHANGED)] })
  const hold = await heldAnew(place, holdpoint, run)
  await holdpoint.decide(hold.id, { verdict: 'reject', ...ana, reason: 'cents?' })
  const view = await advanced(holdpoint, run)
  expect(results(view)).toEqual([['A', 'TOOL_CALL_REJECTED: cents?']])
  expect(historyFaults(view.messages)).toEqual([])
  expect(place.effects).toEqual([])
})

test('P9: what drifts again after its second approval is held a third time', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using second = await place.open({ tools: [pay(place, CHANGED)] })
  await second.decide((await heldAnew(place, second, run)).id, approve)
  await using third = await place.open()
  const hold = await heldAnew(place, third, run)
  expect(hold.context).toEqual({ differences: [{ ...AMOUNT, was: 'In cents.', is: null }] })
  await third.decide(hold.id, approve)
  await advanced(third, run)
  expect(place.effects).toEqual(['paid 1'])
})

test('P9: a tool that is gone after the approval leaves its call held, and the hold says so', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using holdpoint = await place.open({ tools: [place.tool('other')] })
  const hold = await heldAnew(place, holdpoint, run)
  expect(hold).toMatchObject({ message: expect.stringMatching(/pay is gone/), arguments: { order: '7', amount: 1 } })
  expect((hold.context as { differences: unknown[] }).differences).toContainEqual({
    path: 'tool',
    was: 'pay',
    is: null,
  })
  await holdpoint.decide(hold.id, approve)
  // It is gone still.
  expect(await heldAnew(place, holdpoint, run)).toMatchObject({ message: expect.stringMatching(/pay is gone/) })
})

test('P1: who might not decide about a tool, may not while it is gone either', async () => {
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('A', 'pay', {})] }, 'Done.'],
    tools: [it.held('pay', { deciders: ['ana'] })],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
  await using without = await place.open({ tools: [place.tool('other')] })
  const hold = await heldAnew(place, without, run.id)
  expect(hold.deciders).toMatchObject({ people: ['ana'] })
  const receipt = await without.decide(hold.id, { verdict: 'approve', decided_by: 'ben', surface: 'test' })
  expect(receipt).toMatchObject({ outcome: 'refused', error: { code: 'not_a_decider' } })
})

test('P9: a tool that is back as it was runs on the approval that was given while it was gone', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using without = await place.open({ tools: [place.tool('other')] })
  await without.decide((await heldAnew(place, without, run)).id, approve)
  await using again = await place.open()
  expect(results(await advanced(again, run))).toEqual([['A', { paid: 1 }]])
  expect(place.effects).toEqual(['paid 1'])
})

test('P9: a tool that is back with another schema does not run before somebody has seen the difference', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using without = await place.open({ tools: [place.tool('other')] })
  await without.decide((await heldAnew(place, without, run)).id, approve)
  await using again = await place.open({ tools: [pay(place, CHANGED)] })
  const hold = await heldAnew(place, again, run)
  expect(hold.context).toEqual({ differences: [AMOUNT] })
  await again.decide(hold.id, approve)
  await advanced(again, run)
  expect(place.effects).toEqual(['paid 1'])
})

/** Rewrites an event of this kind in the file. */
function tamper(place: Workplace, kind: string, change: (data: string) => string): void {
  place.inFile(file => {
    const row = file.prepare('SELECT place, data FROM events WHERE kind = ?').get(kind)
    const data = String(row?.['data'])
    expect(change(data)).not.toBe(data)
    file.prepare('UPDATE events SET data = ? WHERE place = ?').run(change(data), row?.['place'] ?? null)
  })
}

const TAMPERED = [
  {
    what: 'arguments that the model gave',
    said: approve,
    kind: 'model.answered',
    change: (data: string) => data.replace('"amount":1', '"amount":666'),
    difference: { path: 'arguments.amount', was: 1, is: 666 },
  },
  {
    what: 'arguments that somebody edited',
    said: { verdict: 'edit', arguments: { order: '7', amount: 2 }, ...ana },
    kind: 'hold.decided',
    change: (data: string) => data.replace('"amount":2', '"amount":666'),
    difference: { path: 'arguments.amount', was: 2, is: 666 },
  },
  {
    what: 'an order added to the arguments',
    said: approve,
    kind: 'model.answered',
    change: (data: string) => data.replace('"amount":1', '"amount":1,"to":"me"'),
    difference: { path: 'arguments.to', was: null, is: 'me' },
  },
]

test.for(TAMPERED)('P9: $what, changed in the file after the decision, do not run unseen', async story => {
  const { place, run } = await approved(story.said)
  await using _ = place
  tamper(place, story.kind, story.change)
  await using holdpoint = await place.open()
  const hold = await heldAnew(place, holdpoint, run)
  expect(hold.context).toEqual({ differences: [story.difference] })
  await holdpoint.decide(hold.id, { verdict: 'reject', ...ana })
  await advanced(holdpoint, run)
  expect(place.effects).toEqual([])
})

test('P9: a hold whose arguments were changed in the file before they were shown cannot be approved', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 666 })] }, 'Done.'],
    tools: [pay(place)],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  place.inFile(file => file.exec(`UPDATE holds SET asked = replace(asked, '"amount":666', '"amount":1')`))
  const shown = await onlyHold(holdpoint)
  expect(shown.arguments).toEqual({ amount: 1 })
  expect(await holdpoint.decide(shown.id, approve)).toMatchObject({
    outcome: 'refused',
    error: { code: 'altered_hold' },
  })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  expect(place.effects).toEqual([])
})

test('P9: a tool that another one took the place of, under its name, does not run', async () => {
  const { place, run } = await approved()
  await using _ = place
  const impostor = place.held('pay', { inputSchema: { type: 'object' } })
  await using holdpoint = await place.open({ tools: [impostor] })
  expect((await heldAnew(place, holdpoint, run)).context).toEqual({
    differences: [CODE, { path: 'schema.properties', was: SCHEMA.properties, is: null }],
  })
})

test.for(['pause', 'reject'] as const)(
  'P1: what drifted, and policy (on_never: %s) says never now, is denied without asking',
  async on_never => {
    const { place, run } = await approved()
    await using _ = place
    await using holdpoint = await place.open({ tools: [pay(place, CHANGED)] })
    const policy = { default: 'prompt', tools: { pay: 'never' }, rules: [], on_never } as const
    const view = await advanced(holdpoint, run, { changes: { policy }, by: 'ana' })
    expect(view).toMatchObject({ status: 'done' })
    expect(results(view)).toEqual([['A', expect.stringMatching(/^TOOL_CALL_FORBIDDEN: policy says never/)]])
    expect(place.effects).toEqual([])
  },
)

test('P1: a call whose tool runs elsewhere by now is not run for an approval: its result is asked for', async () => {
  const { place, run } = await approved()
  await using _ = place
  const asked = { message: 'Pay in the page.', context: null, choices: null, response_schema: null }
  const elsewhere = { ...pay(place), asks: () => ({ ...asked, kind: 'client_tool' }) } satisfies Tool
  await using holdpoint = await place.open({ tools: [elsewhere] })
  await holdpoint.decide((await heldAnew(place, holdpoint, run)).id, approve)
  expect(await advanced(holdpoint, run)).toMatchObject({ status: 'waiting', calls: [{ id: 'A', status: 'suspended' }] })
  const wanted = await onlyHold(holdpoint)
  expect(wanted).toMatchObject({ kind: 'client_tool' })
  await holdpoint.decide(wanted.id, { verdict: 'respond', value: { paid: 1 }, ...ana })
  const view = await advanced(holdpoint, run)
  expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
  expect([results(view), place.effects]).toEqual([[['A', { paid: 1 }]], []])
})

test('P1: an approval of before does not lift a policy that says never now and asks nobody', async () => {
  const { place, run } = await approved()
  await using _ = place
  await using holdpoint = await place.open()
  const policy = { default: 'prompt', tools: { pay: 'never' }, rules: [], on_never: 'reject' } as const
  const view = await advanced(holdpoint, run, { changes: { policy }, by: 'ana' })
  expect(results(view)).toEqual([['A', expect.stringMatching(/^TOOL_CALL_FORBIDDEN: policy says never/)]])
  expect(place.effects).toEqual([])
})

test('P9: of a batch the call that drifted is held anew, and the others run', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { amount: 1 }), call('B', 'other')] }, 'Done.'],
    tools: [pay(place), place.held('other')],
  }))
  const first = await place.open()
  const run = await started(first)
  await advanced(first, run.id)
  for (const id of ['A', 'B']) await first.decide((await openHold(first, id)).id, approve)
  await first[Symbol.asyncDispose]()
  await using second = await place.open({ tools: [pay(place, CHANGED), place.held('other')] })
  expect(await advanced(second, run.id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'A' }] })
  expect(place.effects).toEqual(['other'])
})

const AGENT = (description: string) => `
import { appendFileSync } from 'node:fs'
import { defineAgent, defineTool } from 'holdpoint'
const pay = defineTool({
  name: 'pay', needsApproval: true,
  inputSchema: { type: 'object', properties: { amount: { type: 'number', description: ${JSON.stringify(description)} } } },
  execute({ amount }) { appendFileSync('effects.log', 'paid ' + amount + '\\n') },
})
export default defineAgent({ name: 'payer', model: 'script:script.json', tools: [pay] })
`

test('P9: on the command line an approval of what was deployed anew pauses once more, and shows the difference', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 'tc_1', name: 'pay', args: { amount: 1 } }] }, 'Done.'],
    files: { 'agent.mjs': AGENT('In euros.') },
  })
  const paused = await project.holdpoint('--agent', 'agent.mjs', '--pause-on', 'approval', '-o', 'json', 'go')
  await project.write('agent.mjs', AGENT('In cents.'))
  const again = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(again).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1' }] } } })
  expect(await project.effects()).toEqual([])
  const [{ hold_id }] = again.json.pause_reason.pending_tool_calls
  expect((await project.holdpoint('show', hold_id, '--json')).json).toMatchObject({
    context: {
      differences: [CODE, { path: 'schema.properties.amount.description', was: 'In euros.', is: 'In cents.' }],
    },
  })
  expect(await project.holdpoint('-c', again.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')).toMatchObject({
    exit: 0,
  })
  expect(await project.effects()).toEqual(['paid 1'])
  expect(journalOf(project).filter(({ kind }) => kind === 'call.started')).toHaveLength(1)
})

test('P9: so is a command', async () => {
  const call = { id: 'c1', name: 'run_command', args: { command: "echo '{}' > build/policy.json" } }
  await using project = await aProject({
    script: [{ calls: [call] }, { text: 'Done.' }],
    policy: {},
    files: { 'build/keep': '' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'write')
  await rm(project.path('build'), { recursive: true })
  await symlink('.holdpoint', project.path('build'))
  const again = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'c1', '-o', 'json')
  expect(again).toMatchObject({
    exit: 10,
    json: { pause_reason: { pending_tool_calls: [{ id: 'c1', requires_approval: true }] } },
  })
  const done = await project.holdpoint('-c', again.json.checkpoint_id, '--approve', 'c1', '-o', 'json')
  expect(done.json).toMatchObject({ outcome: 'completed' })
})

test('P9: a path that leads elsewhere by the time it was approved is asked about again, also beside the call that was held', async () => {
  const write = (id: string, path: string) => ({ id, name: 'write_file', args: { path, content: '{}' } })
  await using project = await aProject({
    script: [{ calls: [write('w1', 'build/policy.json'), write('w2', 'free/other.json')] }, { text: 'Done.' }],
    policy: { rules: [{ tool: 'write_file', match: { path: 'free/*' }, policy: 'auto' }] },
    files: { 'build/keep': '', 'free/keep': '' },
  })
  const holds = new Map<string, number>()
  let { exit, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'write')
  for (const name of ['build', 'free']) {
    await rm(project.path(name), { recursive: true })
    await symlink('.holdpoint', project.path(name))
  }
  const before = await project.read('.holdpoint/policy.json')
  while (exit === 10) {
    if ((holds.get('w1') ?? 0) < 2) expect(await project.read('.holdpoint/policy.json')).toBe(before)
    expect(project.exists('.holdpoint/other.json')).toBe(false)
    const calls: { id: string; requires_approval: boolean }[] = json.pause_reason.pending_tool_calls
    for (const { id, requires_approval } of calls) holds.set(id, (holds.get(id) ?? 0) + Number(requires_approval))
    ;({ exit, json } = await project.holdpoint('-c', json.checkpoint_id, '--approve-all', '-o', 'json'))
  }
  expect(json).toMatchObject({ outcome: 'completed' })
  expect(Object.fromEntries(holds)).toEqual({ w1: 2, w2: 1 })
  expect(await project.read('.holdpoint/policy.json')).toBe('{}')
  expect(await project.read('.holdpoint/other.json')).toBe('{}')
})

test('P9: an approval to read a file lets nothing be read at another place that its path leads to by then', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 'c1', name: 'read_file', args: { path: 'build/notes.txt' } }] }, { text: 'Done.' }],
    policy: { default: 'prompt' },
    files: { 'build/notes.txt': 'what was to be read', 'private/notes.txt': 'what nobody was asked about' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'read')
  await rm(project.path('build'), { recursive: true })
  await symlink('private', project.path('build'))
  const again = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'c1', '-o', 'json')
  expect(again).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'c1' }] } } })
  expect(journalOf(project).filter(({ kind }) => kind === 'call.started')).toEqual([])
  const done = await project.holdpoint('-c', again.json.checkpoint_id, '--approve', 'c1', '-o', 'json')
  expect(done.json).toMatchObject({ outcome: 'completed' })
})

test('P9: an approval whose digest was taken away releases nothing', async () => {
  const { place, run } = await approved()
  await using _ = place
  place.inFile(file =>
    file.exec(`UPDATE events SET data = json_set(data, '$.decision.digest', NULL) WHERE kind = 'hold.decided'`),
  )
  await using holdpoint = await place.open()
  const hold = await heldAnew(place, holdpoint, run)
  expect(hold).toMatchObject({ message: expect.stringContaining('digest'), arguments: { order: '7', amount: 1 } })
  await holdpoint.decide(hold.id, approve)
  await advanced(holdpoint, run)
  expect(place.effects).toEqual(['paid 1'])
})

test('P9: what was changed in the file before the approval, in the event and all of the row, is asked anew', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'pay', { order: '7', amount: 1 })] }, 'Done.'],
    tools: [pay(place)],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { arguments: args, tool_schema: schema, id } = await onlyHold(holdpoint)
  const forged = { name: 'pay', arguments: { ...(args as JsonObject), amount: 1000 }, schema }
  const digest = callDigest(systemIds, forged)
  place.inFile(file =>
    file.exec(`UPDATE events SET data = json_set(data, '$.calls[0].arguments.amount', 1000) WHERE kind = 'model.answered';
      UPDATE holds SET asked = json_set(asked, '$.arguments.amount', 1000, '$.digest', '${digest}')`),
  )
  expect(await holdpoint.decide(id, approve)).toMatchObject({ outcome: 'recorded' })
  expect(await heldAnew(place, holdpoint, run.id)).toMatchObject({ arguments: { amount: 1000 } })
})
