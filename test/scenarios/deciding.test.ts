import { chmod } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openHoldpoint } from '../../src/index.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { type DatabaseSync, openDatabase } from '../open-database.ts'
import { aProject, CLI, command, effect, type Finished, type Project, type ProjectOptions } from './project.ts'

const one = [{ calls: [effect('t1', 'one')] }, 'Done.']
const two = [{ text: 'Two things.', calls: [effect('t1', 'one'), effect('t2', 'two')] }, 'Done.']
const asks = [
  { calls: [{ id: 'q1', name: 'ask_human', args: { question: 'Where to?', choices: ['eu', 'us'] } }] },
  'Thank you.',
]

interface Paused extends AsyncDisposable {
  readonly project: Project
  readonly checkpoint: string
  readonly run: string
  readonly session: string
  /** `holdpoint ...args --json`, as this person. */
  as(person: string, ...args: string[]): Promise<Finished>
}

async function paused(script: readonly unknown[], options: ProjectOptions = {}): Promise<Paused> {
  const project = await aProject({ script, ...options })
  const { json, exit } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(exit).toBe(10)
  return {
    project,
    checkpoint: json.checkpoint_id,
    run: json.run_id,
    session: json.session_id,
    as: (person, ...args) => project.run([...args, '--json'], { env: { HOLDPOINT_ACTOR: person } }),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

function refusedWith(code: string, more: object = {}): object {
  return { exit: 2, json: { outcome: 'refused', error: { code, ...more } } }
}

test('what one approves and another rejects is on record with who, where and why, and the run goes on with both', async () => {
  await using it = await paused(two)
  const approved = await it.project.holdpoint('approve', 't1', '--reason', 'after the backup')
  expect(approved.exit).toBe(0)
  expect(approved.stdout).toMatch(
    /^hold_\w+ \(run_command t1\): approved by ana \(after the backup\)\.\n {2}Its run waits for more: hold_\w+\.\n$/,
  )
  const rejected = await it.as('ben', 'reject', 't2', '--reason', 'not on a Friday')
  expect(rejected).toMatchObject({
    exit: 0,
    json: {
      outcome: 'recorded',
      hold_status: 'decided',
      decision: { verdict: 'reject', decided_by: 'ben', surface: 'cli', reason: 'not on a Friday' },
      run: { run_id: it.run, session_id: it.session, status: 'running', checkpoint_id: it.checkpoint },
    },
  })
  expect(await it.project.effects()).toEqual([])
  expect(await it.project.holdpoint('-c', it.checkpoint, '-o', 'json')).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one'])
  const results = (await it.project.messages(it.session)).filter(({ role }) => role === 'tool')
  expect(JSON.stringify(results[1])).toContain('not on a Friday')
})

test('P2: of two who decide at the same moment one is recorded, and the other is told who was first', async () => {
  await using it = await paused(one)
  const [ana, ben] = await Promise.all([it.as('ana', 'approve', 't1'), it.as('ben', 'reject', 't1')])
  expect([ana.exit, ben.exit].toSorted()).toEqual([0, 2])
  const [winner, late] = ana.exit === 0 ? ['ana', ben] : ['ben', ana]
  expect(late).toMatchObject(refusedWith('already_decided', { winner: { decided_by: winner } }))
  expect(await it.project.holdpoint('-c', it.checkpoint, '-o', 'json')).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(winner === 'ana' ? ['one'] : [])
})

test('several are decided at once, and each is told what became of it', async () => {
  await using it = await paused(two)
  await it.as('ben', 'reject', 't1', '--decision-id', 'click-1')
  const both = await it.as('ana', 'approve', 't1', 't2', 'nothing')
  expect(both).toMatchObject({
    exit: 2,
    json: [
      { outcome: 'refused', error: { code: 'already_decided', winner: { decided_by: 'ben' } } },
      { outcome: 'recorded', decision: { verdict: 'approve' }, run: { status: 'running' } },
      { outcome: 'refused', hold_id: null, error: { code: 'unknown_hold' } },
    ],
  })
  const again = await it.as('ben', 'reject', 't1', '--decision-id', 'click-1')
  expect(again).toMatchObject({ exit: 0, json: { outcome: 'duplicate', decision: { decision_id: 'click-1' } } })
})

test('--advance goes on with the run, and stdout is its outcome with the receipts', async () => {
  await using it = await paused(two)
  const first = await it.as('ana', 'approve', 't1', '--advance')
  expect(first).toMatchObject({ exit: 10, json: { outcome: 'paused', receipts: [{ outcome: 'recorded' }] } })
  expect(await it.project.effects()).toEqual([])
  const second = await it.as('ana', 'approve', 't2', '--advance')
  expect(second).toMatchObject({
    exit: 0,
    json: { outcome: 'completed', final_message: 'Done.', run_id: it.run, receipts: [{ hold_status: 'decided' }] },
  })
  expect(await it.project.effects()).toEqual(['one', 'two'])
  expect(it.project.exists('.holdpoint/session/pause.json')).toBe(false)
})

test('where another process has the run, --advance leaves it the run: the decision is on record', async () => {
  await using it = await paused(one)
  const url = `sqlite:${it.project.path('.holdpoint/holdpoint.db')}`
  await using store = await openStore(url, { clock: { now: Date.now } as never, directory: '/' })
  await store.claim({ run_id: it.run, owner: 'another', ttl_ms: 60_000 })
  const busy = await it.as('ana', 'approve', 't1', '--advance')
  expect(busy).toMatchObject({
    exit: 0,
    json: { outcome: 'recorded', advancing_by: 'another', receipts: [{ outcome: 'recorded', hold_status: 'decided' }] },
  })
  expect(await it.project.effects()).toEqual([])
})

test('--advance is refused for holds of several runs, before anything is recorded', async () => {
  await using it = await paused(one)
  await it.project.holdpoint('--pause-on-approval', '-o', 'json', 'again')
  const holds = (await it.as('ana', 'holds')).json
  const ids = holds.map(({ id }: { id: string }) => id)
  const ambiguous = await it.as('ana', 'approve', 't1')
  expect(ambiguous).toMatchObject(refusedWith('ambiguous_call'))
  expect(ambiguous.json.error.holds).toEqual(ids)
  expect(ambiguous.json.error.message).toContain('2 of their 2 holds')
  expect(await it.as('ana', 'approve', ...ids, '--advance')).toMatchObject(refusedWith('several_runs'))
  expect((await it.as('ana', 'holds')).json).toEqual(holds)
})

test("a call's id is enough if one open hold is about it, whatever calls of older sessions were named", async () => {
  await using it = await paused(one)
  expect(await it.as('ana', 'approve', 't1')).toMatchObject({ exit: 0 })
  await it.project.holdpoint('--pause-on-approval', '-o', 'json', 'again')
  const [{ id }] = (await it.as('ana', 'holds')).json
  expect(await it.as('ana', 'approve', 't1')).toMatchObject({ exit: 0, json: { hold_id: id, outcome: 'recorded' } })
  expect(await it.as('ana', 'reject', 't1')).toMatchObject(refusedWith('ambiguous_call'))
})

test('P3: who repeats an approval of a call that is in doubt by now is told so, and nothing runs again', async () => {
  const script = [{ calls: [command('t1', 'echo one >> effects.log; kill -9 $PPID; kill -9 $$')] }, 'Done.']
  await using it = await paused(script)
  expect(await it.as('ana', 'approve', 't1', '--advance')).toMatchObject({ signal: 'SIGKILL' })
  await it.as('ana', 'work', '--once')
  const [doubt] = (await it.as('ana', 'holds')).json
  const again = await it.as('ana', 'approve', 't1', '--advance')
  expect(again).toMatchObject(refusedWith('outcome_unknown', { hold_id: doubt.id }))
  expect(await it.project.effects()).toEqual(['one'])
  const answered = await it.as('ana', 'answer', doubt.id, '--value', '{"exit_code":0}', '--advance')
  expect(answered, answered.stdout).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one'])
})

test('P10: a pause that an approval with --advance leads to is on record as shown', async () => {
  await using it = await paused([{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'two')] }, 'Done.'])
  expect(await it.as('ben', 'approve', 't1', '--advance')).toMatchObject({ exit: 10 })
  await using holdpoint = await openHoldpoint({ store: `sqlite:${it.project.path('.holdpoint/holdpoint.db')}` })
  const shown = []
  for await (const { record } of holdpoint.audit.list({ kind: 'hold.shown' })) shown.push(record)
  expect(shown).toMatchObject([
    { call_id: 't1', actor: 'ana' },
    { call_id: 't2', actor: 'ben' },
  ])
})

test('a question is answered once, with what it asks for', async () => {
  await using it = await paused(asks)
  expect(await it.as('ana', 'answer', 'q1', 'mars')).toMatchObject(refusedWith('not_a_choice'))
  expect(await it.as('ana', 'answer', 'q1', ' ')).toMatchObject(refusedWith('empty_answer'))
  const answered = await it.project.run(['answer', 'q1', '-', '--advance', '-o', 'json'], { stdin: 'eu\n' })
  expect(answered).toMatchObject({ exit: 0, json: { outcome: 'completed', receipts: [{ decision: { value: 'eu' } }] } })
  expect(await it.as('ben', 'answer', 'q1', 'us')).toMatchObject(
    refusedWith('already_decided', { winner: { decided_by: 'ana' } }),
  )
})

test('a typed answer fits the schema, and an approval is answered in words', async () => {
  const schema = { type: 'object', properties: { nodes: { type: 'integer' } }, required: ['nodes'] }
  const question = { id: 'q1', name: 'ask_human', args: { question: 'How many?', schema } }
  await using it = await paused([{ calls: [question, effect('t1', 'one')] }, 'Done.'])
  expect(await it.as('ana', 'answer', 'q1', '--value', '{"nodes": "three"}')).toMatchObject(
    refusedWith('invalid_answer'),
  )
  expect(await it.as('ana', 'answer', 'q1', '--value', '{"nodes": 3}')).toMatchObject({ exit: 0 })
  expect(await it.as('ana', 'answer', 't1', 'maybe')).toMatchObject(refusedWith('unclear_answer'))
  const done = await it.as('ana', 'answer', 't1', 'lgtm', '--advance')
  expect(done).toMatchObject({ exit: 0, json: { receipts: [{ decision: { verdict: 'approve' } }] } })
  expect(await it.project.effects()).toEqual(['one'])
})

test('a run that is cancelled takes no answer, and one that is done cannot be cancelled', async () => {
  await using it = await paused(asks)
  const cancelled = await it.as('ben', 'cancel', it.run, '--reason', 'no longer needed')
  expect(cancelled).toMatchObject({ exit: 0, json: { outcome: 'cancelled', by: 'ben', run: { status: 'done' } } })
  expect(it.project.exists('.holdpoint/session/pause.json')).toBe(false)
  expect(await it.as('ana', 'answer', 'q1', 'eu')).toMatchObject(refusedWith('hold_withdrawn'))
  expect(await it.as('ana', 'cancel', it.run)).toMatchObject(refusedWith('run_done'))
})

test('a call that is cancelled does not run, and the run goes on', async () => {
  await using it = await paused(one)
  expect(await it.as('ana', 'cancel', 't1')).toMatchObject({ exit: 0, json: { decision: { verdict: 'cancel' } } })
  expect(await it.project.holdpoint('-c', it.checkpoint, '-o', 'json')).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual([])
})

test('P1: what nobody decided in time is not approved later', async () => {
  await using it = await paused(one, { config: { due: { seconds: 0.2 } } })
  await new Promise(resolve => setTimeout(resolve, 250))
  expect(await it.as('ana', 'approve', 't1')).toMatchObject(refusedWith('hold_expired'))
  await it.project.holdpoint('-c', it.checkpoint, '-o', 'json')
  expect(await it.project.effects()).toEqual([])
})

test('P1: who is not among the deciders of the project is refused, and told who may', async () => {
  await using it = await paused(one, { config: { deciders: ['@owners'], groups: { owners: ['ben'] } } })
  expect(await it.as('ana', 'approve', 't1')).toMatchObject(refusedWith('not_a_decider', { deciders: ['ben'] }))
  expect(await it.as('ana', 'assign', 't1', 'ana')).toMatchObject(refusedWith('not_a_decider'))
  expect(await it.as('ana', 'assign', 't1', 'ben')).toMatchObject({ exit: 0, json: { assignee: 'ben' } })
  expect(await it.as('ana', 'assign', 't1', '--nobody')).toMatchObject({ exit: 0, json: { assignee: null } })
  expect(await it.as('ben', 'approve', 't1', '--advance')).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one'])
})

test('where two must approve, the first is told that somebody else must too', async () => {
  await using it = await paused(one, { config: { deciders: { quorum: 2 } } })
  const first = await it.project.holdpoint('approve', 't1')
  expect(first.stdout).toContain('1 of 2 approvals; somebody else must approve too')
  expect(await it.as('ana', 'approve', 't1')).toMatchObject(refusedWith('already_voted'))
  expect(await it.as('ben', 'approve', 't1', '--advance')).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one'])
})

test('a resume that gives one of several approvals tells of it as of any decision, and pauses again', async () => {
  await using it = await paused(one, { config: { deciders: { quorum: 2 } } })
  const told = await it.project.holdpoint('-c', it.checkpoint, '--approve', 't1', '-o', 'stream-json')
  expect(told.exit).toBe(10)
  expect(told.stdout).toContain('"hold.voted"')
})

test('P1: no agent decides its own hold, whatever policy says of the command by which it tries', async () => {
  const approve = `${process.execPath} ${CLI} approve t1 --json`
  const tries = [{ calls: [command('b1', './approve.sh')] }, { calls: [command('b2', approve)] }, 'Done.']
  await using it = await paused(one, {
    files: { 'approve.sh': `#!/bin/sh\n${approve}\n`, 'tries.json': JSON.stringify(tries) },
  })
  await chmod(it.project.path('approve.sh'), 0o755)
  await it.project.write('auto.json', JSON.stringify({ default: 'auto', tools: { run_command: 'auto' } }))
  const flags = ['--model', 'script:tries.json', '--policy', 'auto.json', '--pause-on', 'approval', '-o', 'json']
  const asked = await it.project.holdpoint(...flags, 'try')
  expect(asked).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'b2' }] } } })
  await it.project.holdpoint('-c', asked.json.checkpoint_id, '--approve', 'b2', '-o', 'json')
  const results = (await it.project.messages(asked.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results).toHaveLength(2)
  for (const result of results) expect(JSON.stringify(result)).toContain('own_hold')
  expect((await it.as('ana', 'holds')).json).toMatchObject([{ call_id: 't1', status: 'open' }])
})

test('a call is edited in an editor: what does not fit or is forbidden is refused, and the model sees both', async () => {
  const policy = { rules: [{ tool: 'run_command', match: { command: 'rm *' }, policy: 'never' }] }
  await using it = await paused(one, { policy })
  const edit = (script: string, ...more: string[]) =>
    it.project.run(['edit', 't1', '--json', ...more], { env: { EDITOR: `sed -i ${script}` } })
  expect(await edit('s/one/one/')).toMatchObject(refusedWith('unchanged'))
  expect(await edit('s/command/commands/')).toMatchObject(refusedWith('invalid_arguments'))
  const forbidden = await it.as('ana', 'edit', 't1', '--arguments', '{"command": "rm -r x"}')
  expect(forbidden).toMatchObject(refusedWith('forbidden_edit'))
  const edited = await edit('s/one/uno/', '--advance')
  expect(edited).toMatchObject({ exit: 0, json: { receipts: [{ decision: { verdict: 'edit', decided_by: 'ana' } }] } })
  expect(await it.project.effects()).toEqual(['uno'])
  const result = JSON.stringify((await it.project.messages(it.session)).find(({ role }) => role === 'tool'))
  expect(result).toContain('echo one')
  expect(result).toContain('echo uno')
})

test('the same call again after its rejection is rejected without asking', async () => {
  await using it = await paused([{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'one')] }, 'Done.'])
  expect(await it.as('ana', 'reject', 't1', '--advance')).toMatchObject({ exit: 0, json: { steps_taken: 3 } })
  expect(await it.project.effects()).toEqual([])
})

test('what is always allowed runs without asking until somebody takes it back', async () => {
  await using it = await paused([{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'one')] }, 'Done.'])
  const always = ['--always', 'one', '--scope', 'project', '--expires', '7d', '--advance']
  expect(await it.as('ana', 'approve', 't1', '--scope', 'run')).toMatchObject(refusedWith('invalid_arguments'))
  expect(await it.as('ana', 'approve', 't1', ...always)).toMatchObject({ exit: 0 })
  expect(await it.project.effects()).toEqual(['one', 'one'])
  const [grant] = (await it.as('ana', 'grants')).json
  expect(grant).toMatchObject({ name: 'one', scope: 'project', uses: 1, granted_by: 'ana' })
  const revoked = await it.as('ben', 'grants', 'revoke', grant.name)
  expect(revoked).toMatchObject({ exit: 0, json: { outcome: 'recorded', grant: { revoked_by: 'ben' } } })
  expect((await it.as('ana', 'grants', 'revoke', grant.id)).json).toMatchObject({ outcome: 'duplicate' })
  expect((await it.as('ana', 'grants')).json).toEqual([])
  expect(await it.project.holdpoint('--pause-on-approval', '-o', 'json', 'again')).toMatchObject({ exit: 10 })
})

test('finished sessions are pruned, and what waits is not', async () => {
  await using it = await paused(one)
  await it.project.write('end.json', JSON.stringify(['Done.']))
  const done = (await it.project.holdpoint('--model', 'script:end.json', '-o', 'json', 'go')).json
  expect(await it.as('ana', 'prune')).toMatchObject(refusedWith('invalid_arguments'))
  expect((await it.as('ana', 'prune', '--older-than', '1h')).json).toMatchObject({ threads: 0 })
  expect((await it.as('ana', 'prune', '--older-than', '0s', '--dry-run')).json).toMatchObject({ threads: 1, runs: 1 })
  const { stdout } = await it.project.holdpoint('prune', '--older-than', '0s', '--dry-run')
  expect(stdout).toMatch(/^Would be deleted: 1 session with 1 run, /)
  expect((await it.as('ana', 'prune', '--older-than', '0s')).json).toMatchObject({ threads: 1, dry_run: false })
  const runs = (await it.as('ana', 'runs')).json
  expect(runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual([it.run])
  const pruned = (await it.project.holdpoint('audit', '--kind', 'thread.pruned', '--json')).json
  expect(pruned).toMatchObject({ thread_id: done.session_id, actor: 'ana', surface: 'cli' })
})

test('P9: arguments that were changed in the store after their approval do not run; a new hold says what differs', async () => {
  await using it = await paused(one)
  expect(await it.as('ana', 'approve', 't1')).toMatchObject({ exit: 0 })
  using database = disposable(openDatabase(it.project.path('.holdpoint/holdpoint.db')))
  database.exec(`UPDATE events SET data = replace(data, 'echo one', 'echo evil') WHERE kind = 'model.answered'`)
  const asked = await it.project.holdpoint('-c', it.checkpoint, '-o', 'json')
  expect(asked).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 't1' }] } } })
  expect(await it.project.effects()).toEqual([])
  await using holdpoint = await openHoldpoint({ store: `sqlite:${it.project.path('.holdpoint/holdpoint.db')}` })
  const [hold] = await holdpoint.holds({ status: 'open' })
  expect(JSON.stringify(hold?.context)).toContain('echo one')
  expect(JSON.stringify(hold?.arguments)).toContain('echo evil')
})

function disposable(database: DatabaseSync): DatabaseSync & Disposable {
  return Object.assign(database, { [Symbol.dispose]: () => database.close() })
}

test('P10: who approved before somebody rejected is not said to have rejected too', async () => {
  await using it = await paused(one, { config: { deciders: { quorum: 2 } } })
  await it.as('ana', 'approve', 't1')
  await it.as('ben', 'reject', 't1', '--reason', 'no')
  const { stdout } = await it.project.holdpoint('audit', 'explain', it.run)
  expect(stdout).toMatch(/ben \(cli\) at \S+: reject of hold_\w+ \(no\), after approvals by ana at /)
})

test('P9: nothing that was said looks like a line of Holdpoint, to whoever reads it', async () => {
  const forged = 'tc_9  read_file  (runs with the batch)'
  const question = { id: `q\n${forged}`, name: 'ask_human', args: { question: `Name?\n${forged}\u001b[2J` } }
  await using project = await aProject({ script: [{ calls: [question] }, `Done.\n${forged}`] })
  const pause = await project.holdpoint('--pause-on-approval', `go\n${forged}`)
  const [hold] = (await project.holdpoint('holds', '--json')).json
  const person = { env: { HOLDPOINT_ACTOR: `eve\n${forged}\u001b[2J` } }
  const seen = [pause, await project.run(['answer', hold.id, forged], person)]
  for (const words of [
    ['approve', hold.id],
    ['show', hold.id],
    ['work', '--once'],
    ['audit'],
    ['audit', 'explain', hold.run_id],
    ['threads', 'show', hold.thread_id],
    ['threads', 'show', hold.thread_id, '--human'],
  ])
    seen.push(await project.holdpoint(...words))
  for (const { stdout, stderr } of seen) {
    expect(`${stdout}\n${stderr}`).not.toContain('\u001b')
    expect(`${stdout}\n${stderr}`.split('\n').filter(line => line.startsWith('tc_9'))).toEqual([])
  }
})

test('a question is not opened in an editor', async () => {
  await using it = await paused(asks, { env: { EDITOR: 'touch opened; true' } })
  expect(await it.as('ana', 'edit', 'q1')).toMatchObject(refusedWith('not_editable'))
})
