/** A rule that can match nothing is told wherever a policy is read, with what was meant. */
import { expect, test } from 'vitest'
import { aProject, effect } from './project.ts'
import { aServer } from './server/server-process.ts'

const SCRIPT = [{ calls: [effect('tc_1', 'one')] }, 'Done.']
const DEAD = {
  default: 'auto',
  tools: { run_comand: 'never', 'Bash(rm:*)': 'never' },
  rules: [
    { tool: 'run_command', match: { cmd: 'rm *' }, policy: 'never' },
    { tool: 'run_command', match: { command: 'sudo *' }, policy: 'auto' },
    { tool: 'run_command', match: { command: 'gh * list*' }, policy: 'auto' },
  ],
}

const TOLD = [
  { code: 'dead_rule', place: 'tools.run_comand', hint: 'Did you mean run_command?' },
  { code: 'dead_rule', place: 'tools.Bash(rm:*)', hint: expect.stringContaining('"command":"rm *"') },
  { code: 'dead_rule', place: 'rules.0', hint: 'Did you mean "command"?' },
  { code: 'dead_rule', place: 'rules.1' },
  { code: 'wide_rule', place: 'rules.2', message: expect.stringContaining('gh delete --all list') },
]

test('a run whose policy has rules that can match nothing says so in its document', async () => {
  await using project = await aProject({ script: SCRIPT, policy: DEAD })
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed' } })
  expect(done.json.warnings).toMatchObject(TOLD)
})

test('in text mode each is a warning on stderr before anything runs', async () => {
  await using project = await aProject({ script: SCRIPT, policy: DEAD })
  const done = await project.holdpoint('go')
  expect(done).toMatchObject({ exit: 0, stdout: 'Done.\n' })
  expect(done.stderr.match(/^holdpoint: warning: .*/gm)).toHaveLength(TOLD.length)
  expect(done.stderr).toContain('tools.run_comand of the policy: "run_comand" is no tool here, so it forbids nothing.')
})

test('under a strict policy the run does not start, and a wide rule alone refuses nothing', async () => {
  await using project = await aProject({ script: SCRIPT, policy: { ...DEAD, strict: true } })
  const refused = await project.holdpoint('-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'dead_rules' } } })
  expect(refused.json.error.message).toContain('tools.run_comand')
  expect(await project.effects()).toEqual([])

  await project.write(
    '.holdpoint/policy.json',
    JSON.stringify({ ...DEAD, tools: {}, rules: DEAD.rules.slice(2), strict: true }),
  )
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({
    exit: 0,
    json: { warnings: [{ code: 'wide_rule' }] },
  })
})

test('the doctor names each line, and a strict policy with one is unhealthy', async () => {
  await using project = await aProject({ policy: DEAD })
  const looked = await project.holdpoint('doctor', '--offline', '--json')
  const said = looked.json.checks.filter(({ check }: { check: string }) => check === 'policy')
  expect(said.map(({ status }: { status: string }) => status)).toEqual(['ok', 'warn', 'warn', 'warn', 'warn', 'warn'])
  expect(said[1]).toMatchObject({
    message: expect.stringContaining('tools.run_comand'),
    hint: 'Did you mean run_command?',
  })

  await project.write('.holdpoint/policy.json', JSON.stringify({ ...DEAD, strict: true }))
  expect(await project.holdpoint('doctor', '--offline', '--json')).toMatchObject({
    exit: 1,
    json: { outcome: 'unhealthy' },
  })
})

test('policy check tells them beside its ruling', async () => {
  await using project = await aProject({ policy: DEAD })
  const { json } = await project.holdpoint('policy', 'check', 'rm -rf v', '--json')
  expect(json).toMatchObject({
    policy: 'auto',
    remarks: [{ code: 'unknown_tool', place: 'tools.run_comand' }, {}, {}, {}, {}],
  })
  const { stdout } = await project.holdpoint('policy', 'check', 'rm -rf v')
  expect(stdout).toContain('warning: tools.run_comand: "run_comand" is no tool here')
})

test('init tells them of a policy that was there before, and says nothing of its own', async () => {
  await using project = await aProject({ policy: DEAD })
  expect((await project.holdpoint('init')).stderr).toContain('Did you mean run_command?')
  await using fresh = await aProject()
  await fresh.holdpoint('init')
  expect(await fresh.holdpoint('init')).toMatchObject({ exit: 0, stderr: '' })
})

const MODULE = `
import { defineAgent, defineTool } from 'holdpoint'
const refund = defineTool({ name: 'refund', description: 'Pay back', inputSchema: { type: 'object', properties: { amount: { enum: ['1', '2'] } } }, execute: async () => 'paid' })
export default defineAgent({ name: 'support', tools: [refund] })
`

test('a tool that the agent brings is known, and a value that it cannot have is told', async () => {
  const rule = (amount: string) => ({ tool: 'refund', match: { amount }, policy: 'never' })
  await using project = await aProject({
    script: ['Done.'],
    policy: { tools: { refund: 'prompt' }, rules: [rule('2'), rule('3')] },
    files: { 'a.ts': MODULE },
  })
  const done = await project.holdpoint('-o', 'json', '--agent', 'a.ts', 'go')
  expect(done.json.warnings).toMatchObject([{ code: 'dead_rule', place: 'rules.1', hint: 'Its values: 1, 2.' }])
})

test('a policy that was given for one run is looked at, too', async () => {
  await using project = await aProject({
    script: SCRIPT,
    files: { 'p.json': JSON.stringify({ default: 'auto', tools: { run_comand: 'never' } }) },
  })
  const done = await project.holdpoint('-o', 'json', '--policy', 'p.json', 'go')
  expect(done.json.warnings).toMatchObject([{ code: 'dead_rule', place: 'tools.run_comand' }])
})

test('rules of Claude Code are read from the project and the home, and what comes of them has no dead line', async () => {
  const settings = { permissions: { allow: ['Bash(git status:*)', 'WebSearch'], deny: ['Bash(rm:*)', 'Read(.env)'] } }
  await using project = await aProject({ files: { '.claude/settings.json': JSON.stringify(settings) } })
  const imported = await project.holdpoint('policy', 'import', 'claude', '--json')
  expect(imported).toMatchObject({ exit: 0 })
  expect(imported.stderr).toContain('Left out: WebSearch (no tool here does this)')
  await project.write('p.json', imported.stdout)
  const check = async (...args: string[]) =>
    (await project.holdpoint('policy', 'check', '--policy', 'p.json', '--json', ...args)).json
  expect(await check('git status -s')).toMatchObject({ policy: 'auto' })
  expect(await check('sudo rm -rf v')).toMatchObject({ policy: 'never' })
  expect(await check('--tool', 'read_file', '--arguments', '{"path":"sub/.env"}')).toMatchObject({ policy: 'never' })
  expect((await check('make')).remarks).toBe(undefined)
})

test('rules of a product that is not known, or is not there, are refused', async () => {
  await using project = await aProject()
  expect(await project.holdpoint('policy', 'import', 'cursor')).toMatchObject({ exit: 2, stdout: '' })
  const none = await project.holdpoint('policy', 'import', 'codex')
  expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('.codex/rules/*.rules') })
})

test('a tool that clients of a server may bring is no dead rule there, and a misspelt one of ours is', async () => {
  const tools = { confirm_order: 'prompt' }
  await using project = await aProject({ script: ['Done.'], policy: { strict: true, tools } })
  await using server = await aServer(project)
  expect(await server.send('/v1/threads', { body: { input: 'go' } })).toMatchObject({ status: 201 })
  await project.write(
    '.holdpoint/policy.json',
    JSON.stringify({ strict: true, tools: { ...tools, run_comand: 'never' } }),
  )
  const refused = await server.send('/v1/threads', { body: { input: 'go' } })
  expect(refused.json).toMatchObject({ code: 'dead_rules', detail: expect.stringContaining('run_comand') })
})
