import { expect, test } from 'vitest'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import type { Tool } from '../../src/index.ts'
import { callDigest } from '../../src/runtime/definitions/call-digest.ts'
import { aProject, type Finished, type Project } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, results, started, type Workplace } from './workplace.ts'

interface Written {
  readonly pays?: string
  readonly version?: string
  readonly beside?: string
}

/** An agent file with one tool; `beside` is a function of the same module that the tool calls. */
function payer({ pays = 'paid', version, beside = "' EUR'" }: Written = {}): string {
  return `import { appendFile } from 'node:fs/promises'
import { defineAgent, defineTool } from 'holdpoint'
const currency = () => ${beside}
const pay = defineTool({
  name: 'pay',
  needsApproval: true,
  inputSchema: { type: 'object' },
  ${version === undefined ? '' : `version: ${JSON.stringify(version)},`}
  execute: async ({ amount }, { workdir }) => appendFile(workdir + '/effects.log', '${pays} ' + amount + currency() + '\\n'),
})
export default defineAgent({ name: 'payer', model: 'script:script.json', tools: [pay] })
`
}

/** A call of `pay` waits, and the module is then another one. */
async function redeployed(
  before: string,
  after: string,
): Promise<{ project: Project; approve: () => Promise<Finished> }> {
  const script = [{ calls: [{ id: 'tc_1', name: 'pay', args: { amount: 7 } }] }, 'Done.']
  const project = await aProject({ script, files: { 'payer.mjs': before } })
  const paused = await project.holdpoint('--agent', 'payer.mjs', '--pause-on', 'approval', '-o', 'json', 'go')
  expect(paused.exit).toBe(10)
  await project.write('payer.mjs', after)
  return {
    project,
    approve: () => project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json'),
  }
}

/** The hold that asks again. */
async function askedAgain(project: Project, again: Finished): Promise<Record<string, unknown>> {
  expect(again).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1' }] } } })
  expect(await project.effects()).toEqual([])
  const [{ hold_id }] = again.json.pause_reason.pending_tool_calls
  return (await project.holdpoint('show', hold_id, '--json')).json
}

const SHA256 = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)

test.for([
  ['the tool itself', { pays: 'stole' }, 'stole 7 EUR'],
  ['a function beside it', { beside: "' USD'" }, 'paid 7 USD'],
] as const)(
  'P9: code that changed after the approval does not run before it is approved: %s',
  async ([, edited, effect]) => {
    const { project, approve } = await redeployed(payer(), payer(edited))
    await using _ = project
    const differences = [{ path: 'tool_code', was: SHA256, is: SHA256 }]
    expect((await project.holdpoint('check-pending', '--json')).json).toMatchObject([
      { status: 'changed', problem: expect.stringMatching(/the code of pay/), differences },
    ])
    const again = await approve()
    expect(await askedAgain(project, again)).toMatchObject({
      message: expect.stringMatching(/the code of pay.* changed/),
      context: { differences },
    })
    const done = await project.holdpoint('-c', again.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect(await project.effects()).toEqual([effect])
  },
)

test.for([
  ['code is as it was', payer(), payer(), 'paid 7 EUR'],
  [
    'version is as it was, though its code is not',
    payer({ version: '1' }),
    payer({ version: '1', pays: 'sent' }),
    'sent 7 EUR',
  ],
] as const)('P9: an approved call runs if its %s', async ([, before, after, effect]) => {
  const { project, approve } = await redeployed(before, after)
  await using _ = project
  expect((await project.holdpoint('check-pending', '--json')).json).toMatchObject([{ status: 'ok' }])
  expect(await approve()).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual([effect])
})

test('P9: another version after the approval is asked about, even if nothing else changed', async () => {
  const { project, approve } = await redeployed(payer({ version: '1' }), payer({ version: '2' }))
  await using _ = project
  expect(await askedAgain(project, await approve())).toMatchObject({
    message: 'Since this call was asked about, the version of pay (was "1", is "2") changed. May it run as it is now?',
    context: { differences: [{ path: 'tool_version', was: '1', is: '2' }] },
  })
})

function pay(place: Workplace, effect: string): Tool {
  return effect === 'paid'
    ? place.held('pay', { execute: () => place.effects.push('paid') })
    : place.held('pay', { execute: () => place.effects.push('stole') })
}

/** A run whose call of `pay` waits. */
async function paying(): Promise<{ place: Workplace; run: string }> {
  const calls = ['A', 'B'].map(id => ({ calls: [call(id, 'pay', { amount: 7 })] }))
  const place = await aWorkplace(it => ({ script: [...calls, 'Done.'], tools: [pay(it, 'paid')] }))
  await using holdpoint = await place.open()
  const { id: run } = await started(holdpoint)
  await advanced(holdpoint, run)
  return { place, run }
}

test('P9: in a library the code of execute is bound, and the approval of the new code runs it', async () => {
  const { place, run } = await paying()
  await using _ = place
  await using holdpoint = await place.open({ tools: [pay(place, 'stole')] })
  const { id } = await onlyHold(holdpoint)
  await holdpoint.decide(id, { verdict: 'approve', ...ana })
  await advanced(holdpoint, run)
  expect(place.effects).toEqual([])
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  expect(results(await advanced(holdpoint, run))).toEqual([['A', 1]])
  expect(place.effects).toEqual(['stole'])
})

test('P9: a call that was rejected is asked about again if its code is another by now', async () => {
  const { place, run } = await paying()
  await using _ = place
  await using holdpoint = await place.open({ tools: [pay(place, 'stole')] })
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'reject', ...ana })
  expect(await advanced(holdpoint, run)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'B' }] })
})

test.for([
  ['ends with the code that it was given for', 'stole', 'waiting', ['paid']],
  ['goes on with the same code', 'paid', 'done', ['paid', 'paid']],
] as const)('P9: an approval for good %s', async ([, effect, status, effects]) => {
  const answers = [call('A', 'pay'), call('Q', 'ask_human', { question: 'Once more?' }), call('B', 'pay')]
  await using place = await aWorkplace(it => ({
    script: [...answers.map(each => ({ calls: [each] })), 'Done.'],
    tools: [pay(it, 'paid'), 'ask_human'],
  }))
  await using first = await place.open()
  const { id: run } = await started(first)
  await advanced(first, run)
  const grant = { name: 'pay', scope: 'run' } as const
  const granted = await first.decide((await onlyHold(first)).id, { verdict: 'approve', grant, ...ana })
  expect(granted).toMatchObject({ outcome: 'recorded' })
  await advanced(first, run)
  await first.decide((await onlyHold(first)).id, { verdict: 'respond', value: 'yes', ...ana })
  await using second = await place.open({ tools: [pay(place, effect), 'ask_human'] })
  expect(await advanced(second, run)).toMatchObject({ status })
  expect(place.effects).toEqual(effects)
})

/** As a Holdpoint that knew no code of tools left its hold. */
function withoutCode(place: Workplace): void {
  place.inFile(database => {
    const asked = JSON.parse(String(database.prepare('SELECT asked FROM holds').get()?.['asked']))
    const { tool_code, ...schema } = asked.tool_schema
    expect(tool_code).toEqual(SHA256)
    const digest = callDigest(systemIds, { name: 'pay', arguments: asked.arguments, schema })
    database.prepare('UPDATE holds SET asked = ?').run(JSON.stringify({ ...asked, tool_schema: schema, digest }))
    database.prepare("UPDATE events SET data = json_set(data, '$.digest', ?) WHERE kind = 'hold.opened'").run(digest)
  })
}

test('P9: a hold of an older version, which binds no code, is released by its approval', async () => {
  const { place, run } = await paying()
  await using _ = place
  withoutCode(place)
  await using holdpoint = await place.open({ tools: [pay(place, 'stole')] })
  await expect(Array.fromAsync(holdpoint.checkPending())).resolves.toMatchObject([{ status: 'ok' }])
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  await advanced(holdpoint, run)
  expect(place.effects).toEqual(['stole'])
  expect(await holdpoint.audit.explain(run)).toMatchObject({ faults: [] })
  // The next call is a new hold, which binds the code.
  expect((await onlyHold(holdpoint)).tool_schema).toMatchObject({ tool_code: SHA256 })
})

test('P9: the hold of a built-in tool binds its version, which no other build of Holdpoint changes', async () => {
  await using place = await aWorkplace({
    script: [{ calls: [call('A', 'run_command', { command: 'true' })] }, 'Done.'],
    tools: ['run_command'],
  })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  expect((await onlyHold(holdpoint)).tool_schema).toMatchObject({ tool_version: 'built-in 1' })
})
