import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { aProject, command, effect, type Finished, listed, type Project } from './project.ts'

const script = [{ text: 'About to.', calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }, 'Done.']

describe('P10: with a run in which one call was approved against the policy and one rejected', () => {
  let project: Project
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let paused: any
  let exported: Finished
  let head = ''
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let records: any[]

  beforeAll(async () => {
    project = await aProject({ script, policy: { tools: { run_command: 'never' } } })
    paused = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).json
    const decisions = ['--approve', 'tc_1', '--reject', 'tc_2', '--reason', 'once is\u2028enough']
    await project.run(['-c', paused.checkpoint_id, ...decisions], { env: { HOLDPOINT_ACTOR: 'ben' } })
    exported = await project.holdpoint('audit', '--json')
    records = exported.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    await project.write('audit.jsonl', exported.stdout)
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('every hold, decision, override and effect is on record, in order', async () => {
    expect(await project.effects()).toEqual(['one'])
    expect(records.map(({ seq, kind, call_id, actor }) => [seq, kind, call_id, actor])).toEqual([
      [1, 'run.started', null, null],
      [2, 'hold.opened', 'tc_1', null],
      [3, 'hold.opened', 'tc_2', null],
      [4, 'hold.shown', 'tc_1', 'ana'],
      [5, 'hold.shown', 'tc_2', 'ana'],
      [6, 'hold.decided', 'tc_1', 'ben'],
      [7, 'hold.decided', 'tc_2', 'ben'],
      [8, 'call.finished', 'tc_2', null],
      [9, 'call.started', 'tc_1', null],
      [10, 'call.finished', 'tc_1', null],
      [11, 'run.finished', null, null],
    ])
    const [{ digest }] = paused.pause_reason.pending_tool_calls
    expect(records[1].data).toMatchObject({ forbidden: true, digest })
    expect(records[3].data).toEqual({ in_full: true })
    expect(records[5].data).toMatchObject({ verdict: 'approve', override: true, digest })
    expect(records[6].data).toMatchObject({ verdict: 'reject', reason: 'once is\u2028enough' })
    expect(records[8].data).toEqual({ attempt: 1, digest })
  })

  test('records are found by run, hold, person, kind and time, and are lines for people', async () => {
    const hold = records[6].hold_id
    const { stdout } = await project.holdpoint('audit', '--hold', hold, '--actor', 'ben', '--since', '2020-01-01')
    expect(stdout.split('\n')).toHaveLength(2)
    expect(stdout).toMatch(/^7 {2}.*hold\.decided .*by ben \(cli\) .*verdict=reject .*reason=once is\\u\{2028\}enough/)
    const none = await project.holdpoint('audit', '--run', paused.run_id, '--kind', 'hold.expired')
    expect(none.stdout).toBe('Nothing is on record.\n')
  })

  test('the store verifies, and tells the head to note', async () => {
    const { exit, json } = await project.holdpoint('audit', 'verify', '--json')
    expect({ exit, json }).toMatchObject({ exit: 0, json: { ok: true, count: 11, faults: [] } })
    head = json.head
    expect(head).toBe(`11:${records[10].hash}`)
  })

  test('the export verifies offline, and not where anything of it was changed', async () => {
    const good = await project.run(['audit', 'verify', '--head', head, '-'], { stdin: exported.stdout, cwd: '/' })
    expect(good).toMatchObject({ exit: 0, stdout: expect.stringContaining('11 records of -: nothing is wrong.') })
    await project.write('bad.jsonl', exported.stdout.replace('"verdict":"reject"', '"verdict":"approve"'))
    const bad = await project.holdpoint('audit', 'verify', 'bad.jsonl', '--json')
    expect(bad).toMatchObject({ exit: 1, json: { ok: false, faults: [{ code: 'altered', seq: 7 }] } })
  })

  test('each effect is explained by who let it happen, and a rejection by nothing that ran', async () => {
    const { exit, stdout } = await project.holdpoint('audit', 'explain', paused.run_id)
    expect(exit).toBe(0)
    expect(stdout).toMatch(/tc_1: run_command .*\n {2}ran at .*\n {4}ben \(cli\) at .*: approve of hold_/)
    expect(stdout).toContain('overriding the policy (tools.run_command: never)')
    expect(stdout).toMatch(
      /tc_2: run_command .*\n {2}nothing ran\n {4}ben \(cli\) at .*: reject of .* \(once is\\u\{2028\}enough\)/,
    )
    expect(stdout).toMatch(/1 effect, each with what released it\.\n$/)
  })

  test('what was taken away from the end is missed, by the journal and by the head that was noted', async () => {
    const database = openDatabase(project.path('.holdpoint', 'holdpoint.db'))
    database.exec('DELETE FROM audit WHERE seq = 11')
    database.close()
    const { exit, stdout } = await project.holdpoint('audit', 'verify', '--head', head)
    expect(exit).toBe(1)
    expect(stdout).toContain('not_on_record: Event')
    expect(stdout).toContain('head_not_found: The log was noted to have a record 11')
  })

  test.each([
    ['a head that is none', ['verify', '--head', '7'], 'SEQ:HASH'],
    ['a file that is not there', ['verify', 'nowhere.jsonl'], 'holdpoint audit --json > FILE'],
    ['a run that nobody knows', ['explain', 'run_none'], 'holdpoint runs'],
    ['a kind that there is not', ['--kind', 'tea'], 'hold.decided'],
  ])('%s is refused with what to do', async (_, args, hint) => {
    const { exit, json } = await project.holdpoint('audit', ...args, '--json')
    expect(exit).toBe(2)
    expect(json.error.hint).toContain(hint)
  })
})

test.each([
  ['another deadline', 'UPDATE holds SET due_at = due_at + 1'],
  ['a deadline that is never carried out', 'UPDATE holds SET wake_at = NULL'],
  ['a reminder that comes late', 'UPDATE holds SET wake_at = wake_at + 1'],
])('P10: an open hold whose row was given %s is named', async (_, sql) => {
  await using project = await aProject({ script, config: { due: { seconds: 3600 } } })
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await project.holdpoint('audit', 'verify', '--json')).toMatchObject({ exit: 0 })
  using file = openDatabase(project.path('.holdpoint/holdpoint.db'))
  file.exec(sql)
  const { exit, json } = await project.holdpoint('audit', 'verify', '--json')
  expect([exit, json.faults[0].code]).toEqual([1, 'hold_altered'])
})

describe('P10: with a key for the seals of records', () => {
  const SEAL_KEY = 'a-key-that-hosts-have'
  const env = { HOLDPOINT_SEAL_KEY: SEAL_KEY }
  const sealed = { script, policy: { tools: { run_command: 'prompt' } }, env } as const
  const faults = (json: { faults: readonly { code: string; seq: number }[] }) =>
    json.faults.map(({ code, seq }) => `${code} ${seq}`)

  test('what agents, tasks and sub-agents of the host put on record is sealed', async () => {
    await using project = await aProject({
      env,
      files: { 'child.json': JSON.stringify([{ calls: [command('c1', 'true')] }, 'Looked.']) },
      script: [
        { calls: [{ id: 't1', name: 'run_command_task', args: { command: 'true' } }] },
        { calls: [{ id: 't2', name: 'subagent_task', args: { prompt: 'look', model: 'script:child.json' } }] },
        'Done.',
      ],
    })
    const tools = ['run_command', 'run_command_task', 'subagent_task'].flatMap(name => ['-t', name])
    expect(await project.holdpoint(...tools, 'go')).toMatchObject({ exit: 0 })
    const tasks = (await listed(project, 'tasks')).map(({ task_id }) => String(task_id))
    // The command has ended; the sub-agent waits for a person.
    expect(await project.holdpoint('tasks', 'wait', ...tasks, '--json')).toMatchObject({ exit: 10 })
    const { stdout } = await project.holdpoint('audit', '--json')
    const records = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(records.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['task.ended', 'run.finished']))
    expect(records.filter(({ seal }) => !/^[0-9a-f]{8}:[0-9a-f]{64}$/.test(seal))).toEqual([])
    expect(await project.holdpoint('audit', 'verify', '--json')).toMatchObject({ exit: 0, json: { fault_count: 0 } })
  })

  test('an approval that is appended without the key is found, although the head noted before is there', async () => {
    await using project = await aProject(sealed)
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const { head, count } = (await project.holdpoint('audit', 'verify', '--json')).json
    const [{ id }] = (await project.holdpoint('holds', '--json')).json
    const forged = await project.run(['approve', id, '--json'], { env: { HOLDPOINT_SEAL_KEY: '' } })
    expect(forged.exit).toBe(0)
    const { exit, json } = await project.holdpoint('audit', 'verify', '--head', head, '--json')
    expect({ exit, found: faults(json) }).toEqual({ exit: 1, found: [`unsealed ${count + 1}`] })

    // With a seal that is made up, or that is another record's, behind a chain that fits.
    for (const seal of [`00000000:${'0'.repeat(64)}`, 'stolen']) {
      using file = openDatabase(project.path('.holdpoint/holdpoint.db'))
      const at = (seq: number) => file.prepare('SELECT record, hash FROM audit WHERE seq = ?').get(seq)
      const [before, last] = [at(count), at(count + 1)]
      const stolen = JSON.parse(String(before?.['record'])).seal
      const record = JSON.stringify({
        ...JSON.parse(String(last?.['record'])),
        seal: seal === 'stolen' ? stolen : seal,
      })
      const next = hash('sha256', `${before?.['hash']}\n${record}`)
      file.prepare('UPDATE audit SET record = ?, hash = ? WHERE seq = ?').run(record, next, count + 1)
      const again = await project.holdpoint('audit', 'verify', '--head', head, '--json')
      expect({ exit: again.exit, found: faults(again.json) }).toEqual({ exit: 1, found: [`seal_wrong ${count + 1}`] })
    }
  })

  test('records from before there was a key are told as without a seal, and are no fault', async () => {
    await using project = await aProject({ script })
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const verify = (key: string, ...words: string[]) =>
      project.run(['audit', 'verify', ...words, '--json'], { env: { HOLDPOINT_SEAL_KEY: key } })
    const before = await verify(SEAL_KEY)
    expect(before).toMatchObject({
      exit: 0,
      json: { not_checked: expect.arrayContaining(['seals: no record has one']) },
    })
    const [{ id }] = (await project.holdpoint('holds', '--json')).json
    await project.run(['reject', id, '--json'], { env })

    const { exit, json } = await verify(SEAL_KEY)
    expect({ exit, told: json.not_checked[0] }).toMatchObject({
      exit: 0,
      told: expect.stringContaining('without a seal'),
    })
    const keyless = await verify('')
    expect(keyless).toMatchObject({ exit: 0 })
    expect(keyless.json.not_checked[0]).toContain('HOLDPOINT_SEAL_KEY is not set here')
    expect(await verify('another-key-of-another-host')).toMatchObject({
      exit: 1,
      json: { faults: expect.arrayContaining([expect.objectContaining({ code: 'seal_wrong' })]) },
    })
    await project.write('audit.jsonl', (await project.holdpoint('audit', '--json')).stdout)
    expect(await verify(SEAL_KEY, 'audit.jsonl')).toMatchObject({ exit: 0 })
  })
})
