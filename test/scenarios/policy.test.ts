import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readPolicy } from '../../src/core/policy/read-policy.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import { rulingOn } from '../../src/runtime/policy/ruling.ts'
import { builtInTools } from '../../src/tools/built-in-tools.ts'
import { openDatabase } from '../open-database.ts'
import { aProject, command, effect, type Project } from './project.ts'

const START = ['-a', '--pause-on-approval', '-o', 'json', 'go']
const GIT_STATUS = { tool: 'run_command', match: { command: 'git status*' }, policy: 'auto' }
const NO_RM = { tool: 'run_command', match: { command: 'rm *' }, policy: 'never' }

const tools = builtInTools()
const directory = await mkdtemp(join(tmpdir(), 'holdpoint-policy-'))
await mkdir(join(directory, '.holdpoint'))
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

/** What a run would do with this call: the same path, without a process. */
async function ruling(document: JsonObject, tool: string, args: JsonObject) {
  const found = tools.get(tool)
  if (!found) throw new TypeError(`no tool ${tool}`)
  return rulingOn({ policy: readPolicy(document, 'test'), workdir: directory }, found, args)
}

const verdictOn = async (document: JsonObject, text: string) =>
  (await ruling(document, 'run_command', { command: text })).verdict

// biome-ignore format: a table
const GIT_STATUSES = [
  'git status', 'git status --short', "git 'status' -s", 'git status -- src', 'git status 2>&1', 'timeout 5 git status', 'time git status',
  '(git status)', '! git status', 'git status && git status -s', 'git status # now',
]

test.each(GIT_STATUSES)('an auto rule for git status lets %s pass', async text => {
  expect(await verdictOn({ rules: [GIT_STATUS] }, text)).toBe('auto')
})

// biome-ignore format: a table
const NOT_GIT_STATUS = [
  // redirects
  'git status > out', 'git status >> ~/.bashrc', 'git status < in', '> out git status', 'git status &> out',
  // environment prefixes
  'PATH=. git status', 'GIT_DIR=/x git status', 'env git status', 'A=1 B=2 git status',
  // chains
  'git status; rm x', 'git status && rm x', 'git status || rm x', 'git status | sh', 'git status & rm x', 'git status\nrm x',
  // substitutions
  'git status $(rm x)', 'git status `rm x`', 'git status <(rm x)', 'git status "$(rm x)"', 'git status $HOME', 'git status *',
  // wrappers
  'sudo git status', 'bash -c "git status"', 'xargs git status', 'nohup git status', 'eval git status',
  'if true; then git status; fi',
  // other programs that look like it
  '/tmp/git status', './git status', 'git-status', 'gitstatus', 'git\\ status', '"git status"', 'git statu', 'git -c core.pager=sh status',
]

test.each(NOT_GIT_STATUS)('an auto rule for git status does not let %j pass', async text => {
  expect(await verdictOn({ rules: [GIT_STATUS] }, text)).toBe('prompt')
})

// biome-ignore format: a table
const REMOVES = [
  'rm x', 'rm -rf /', 'rm', '/bin/rm x', '/usr/bin/rm x', '../../bin/rm x', '\\rm x', "'rm' x", '"rm" x', "r''m x", 'r\\m x', '$\'\\x72m\' x',
  'sudo rm x', 'sudo -u root /bin/rm x', 'env rm x', 'env -i A=1 rm x', 'A=1 rm x', 'command rm x', 'exec rm x', 'nohup rm x', 'nice -n 5 rm x',
  'timeout 5 rm x', 'setsid rm x', 'xargs rm', 'ls | xargs rm', 'xargs -0 -n1 rm', 'find . -exec rm {} +', 'find . -execdir rm {} \\;',
  'find . -name x -ok rm {} \\;', 'bash -c "rm x"', "sh -c 'rm x'", 'bash -lc "cd y && rm x"', 'eval rm x', 'eval "rm x"', 'eval "$(echo hi); rm x"',
  'echo hi; rm x', 'echo hi && rm x', 'false || rm x', 'echo hi | rm x', 'echo hi & rm x', 'echo hi\nrm x', '(rm x)', '{ rm x; }', 'echo $(rm x)',
  'echo `rm x`', 'echo "$(rm x)"', 'cat <(rm x)', 'if true; then rm x; fi', 'for f in a b; do rm $f; done', 'f() { rm x; }; f', 'rm x > /dev/null',
  'rm x &', 'trap "rm x" EXIT', 'time rm x', '! rm x', 'sudo bash -c "find . -exec sh -c \\"rm x\\" \\;"', 'ssh host rm x', 'busybox rm x',
]

test.each(REMOVES)('never for rm is not evaded by %j', async text => {
  expect(await verdictOn({ default: 'auto', rules: [NO_RM] }, text)).toBe('never')
})

test.each(['rmdir x', 'echo rm', 'git rm x', 'cat rm', 'npm run rm', 'grep "rm x" notes.txt'])(
  'never for rm leaves %j alone',
  async text => {
    expect(await verdictOn({ default: 'auto', rules: [NO_RM] }, text)).toBe('auto')
  },
)

// biome-ignore format: a table
const UNREADABLE = ['echo "open', "echo 'open", 'echo $(open', 'if true', 'echo ${', '| x', '&&', ')', 'cat <<E', '', '   ', 'echo \u0007', 'echo \u202e']

test.each(UNREADABLE)('P1: what cannot be read for certain asks, also where everything is let pass: %j', async text => {
  expect(await verdictOn({ default: 'auto', tools: { run_command: 'auto' } }, text)).toBe('prompt')
})

const KEEPS_RECORDS: readonly (readonly [tool: string, args: JsonObject])[] = [
  ['write_file', { path: '.holdpoint/policy.json', content: '{}' }],
  ['write_file', { path: './src/../.holdpoint/x', content: '' }],
  ['write_file', { path: 'DIRECTORY/.holdpoint/x', content: '' }],
  ['write_file', { path: '.HoldPoint/x', content: '' }],
  ['write_file', { path: 'sub/.holdpoint/x', content: '' }],
  ['edit_file', { path: '.holdpoint/policy.json', old: 'a', new: 'b' }],
  ['run_command', { command: 'echo {} > .holdpoint/policy.json' }],
  ['run_command', { command: 'rm -r .holdpoint' }],
  ['run_command', { command: 'cp x .h*t/policy.json' }],
  ['run_command', { command: 'cd .holdpoint && touch x' }],
  ['run_command', { command: 'sqlite3 ".holdpoint/holdpoint.db" "delete from events"' }],
]

test.each(KEEPS_RECORDS)('P1: %s of %j asks, whatever the rules let pass', async (tool, args) => {
  const here = JSON.parse(JSON.stringify(args).replace('DIRECTORY', directory))
  const { verdict, binding } = await ruling({ default: 'auto', tools: { '*': 'auto', [tool]: 'auto' } }, tool, here)
  expect([verdict, binding]).toEqual(['prompt', true])
})

test('reading below .holdpoint is let pass like any other reading', async () => {
  expect((await ruling({}, 'read_file', { path: '.holdpoint/policy.json' })).verdict).toBe('prompt')
  expect(
    (await ruling({ tools: { read_file: 'auto' } }, 'read_file', { path: '.holdpoint/policy.json' })).verdict,
  ).toBe('auto')
})

// From here on by the command line.

async function checked(project: Project, ...words: string[]): Promise<{ policy: string; rule: string }> {
  const { exit, stderr, json } = await project.holdpoint('policy', 'check', ...words, '--json')
  expect([exit, stderr]).toEqual([0, ''])
  return json
}

test('policy check tells what would happen and which rule says so', async () => {
  await using project = await aProject({
    policy: {
      default: 'prompt',
      tools: { read_file: 'auto', 'write_*': 'never', edit_file: 'prompt' },
      rules: [GIT_STATUS, NO_RM, { tool: 'write_file', match: { path: 'notes/*' }, policy: 'auto' }],
    },
  })
  expect(await checked(project, 'git status --short')).toMatchObject({
    policy: 'auto',
    rule: expect.stringContaining('git status*'),
  })
  expect(await checked(project, 'git status; rm x')).toMatchObject({
    policy: 'never',
    rule: expect.stringContaining('rm *'),
  })
  expect(await checked(project, 'sudo rm x')).toMatchObject({ policy: 'never' })
  expect(await checked(project, 'make')).toMatchObject({ policy: 'prompt', rule: 'default: prompt' })
  expect(await checked(project, 'echo "open')).toMatchObject({ policy: 'prompt' })
  const of = (tool: string, args: object) => checked(project, '--tool', tool, '--arguments', JSON.stringify(args))
  expect(await of('read_file', { path: 'a' })).toMatchObject({ policy: 'auto', rule: 'tools.read_file: auto' })
  expect(await of('write_file', { path: 'a', content: '' })).toMatchObject({
    policy: 'never',
    rule: 'tools.write_*: never',
  })
  expect(await of('write_file', { path: 'notes/a', content: '' })).toMatchObject({ policy: 'auto' })
  expect(await of('write_file', { path: 'notes/../a', content: '' })).toMatchObject({ policy: 'never' })
  expect(await of('write_file', { path: '.holdpoint/a', content: '' })).toMatchObject({ policy: 'never' })
})

test('without a policy looking is free and doing asks', async () => {
  await using project = await aProject()
  const of = async (tool: string, args: object) =>
    (await checked(project, '--tool', tool, '--arguments', JSON.stringify(args))).policy
  expect(await of('read_file', { path: 'a' })).toBe('auto')
  expect(await of('list_files', {})).toBe('auto')
  expect(await of('write_file', { path: 'a', content: '' })).toBe('prompt')
  expect((await checked(project, 'ls')).policy).toBe('prompt')
})

test('policy check names the standing grant by which a call runs here', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'git status --short')] }, 'Done.'],
    policy: { default: 'prompt', rules: [{ ...GIT_STATUS, policy: 'prompt' }] },
  })
  const before = await checked(project, 'git status --short')
  expect(before).toMatchObject({ policy: 'prompt', grant: null, with_pause_on_approval: 'asks' })
  await project.holdpoint('-a', '--pause-on-approval', 'go')
  const always = ['--always', 'status', '--scope', 'project', '--match', 'command=git status*']
  await project.holdpoint('approve', 'tc_1', ...always)
  const grant = { name: 'status', granted_by: 'ana' }
  const runs = { policy: 'prompt', grant, with_pause_on_approval: 'runs', without_pause_on: 'runs' }
  expect(await checked(project, 'git status')).toMatchObject(runs)
  expect((await project.holdpoint('policy', 'check', 'git status')).stdout).toContain(
    '  ana always allows it here: status (grant_',
  )
  expect(await checked(project, 'git log')).toMatchObject({ grant: null, with_pause_on_approval: 'asks' })
  const asBefore = { ...before, arguments: { command: 'git status' } }
  // P10: a row that was changed by hand lets nothing pass.
  using database = openDatabase(project.path('.holdpoint', 'holdpoint.db'))
  database.exec('UPDATE grants SET uses = uses + 7')
  expect(await checked(project, 'git status')).toEqual(asBefore)
  database.exec('UPDATE grants SET uses = uses - 7')
  expect(await checked(project, 'git status')).toMatchObject(runs)
  await project.holdpoint('grants', 'revoke', 'status')
  expect(await checked(project, 'git status')).toEqual(asBefore)
})

test('policy check follows a link to where it leads', async () => {
  await using project = await aProject({ policy: { default: 'auto' } })
  await symlink(project.path('.holdpoint'), project.path('innocent'))
  const json = JSON.stringify({ path: 'innocent/policy.json', content: '{}' })
  expect(await checked(project, '--tool', 'write_file', '--arguments', json)).toMatchObject({
    policy: 'prompt',
    rule: expect.stringContaining('.holdpoint/'),
  })
})

test('P1: what is never, and refused at once, is not asked about and does not run', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'forbidden'), effect('tc_2', 'allowed')] }, 'Done.'],
    policy: {
      default: 'auto',
      rules: [{ tool: 'run_command', match: { command: '*forbidden*' }, policy: 'never' }],
      on_never: 'reject',
    },
  })
  const done = await project.run(['-a', '--pause-on', 'approval', '-o', 'json', 'go'])
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['allowed'])
  const results = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results).toMatchObject([
    { tool_call_id: 'tc_1', is_error: true, content: expect.stringMatching(/^TOOL_CALL_FORBIDDEN: .*\*forbidden\*/) },
    { tool_call_id: 'tc_2', is_error: false },
  ])
})

const NEVER = { tools: { run_command: 'never' }, on_never: 'pause' }

test('P1: what is never, and put to a person, runs only when they override it', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }, 'Done.'],
    policy: NEVER,
  })
  const paused = await project.run(START)
  expect(paused).toMatchObject({
    exit: 10,
    json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1' }, { id: 'tc_2' }] } },
  })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_2', '-o', 'json')
  expect(done.exit).toBe(0)
  expect(await project.effects()).toEqual(['two'])
})

test('P1: what is never does not run in a run that pauses for nothing', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy: NEVER })
  const done = await project.run(['-a', '-o', 'json', 'go'])
  expect(done.exit).toBe(0)
  expect(await project.effects()).toEqual([])
  const [result] = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(result.content).toMatch(/^TOOL_CALL_FORBIDDEN: /)
})

// biome-ignore format: a table
const IN_DOUBT = ['x=touch; $x one', '$(echo touch) one', '{touch,one}', `touch\${IFS}one`, 'x=one; $x', 'touc[h] one', 'echo touch one | sh']

test('P1: a command that cannot be read is refused if nobody can be asked and a rule may cover it', async () => {
  const calls = IN_DOUBT.map((text, at) => command(`tc_${at}`, text))
  const policy = { default: 'auto', rules: [{ tool: 'run_command', match: { command: 'touch *' }, policy: 'never' }] }
  await using project = await aProject({ script: [{ calls }, 'Done.'], policy })
  const done = await project.run(['-a', '-o', 'json', 'go'])
  expect(done.exit).toBe(0)
  expect(project.exists('one')).toBe(false)
  const results = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  for (const { content } of results) expect(content).toMatch(/^TOOL_CALL_FORBIDDEN: .*does not pause for approval/)
  expect(results).toHaveLength(IN_DOUBT.length)
})

test('P1: a subcommand behind options of its program is held as it is without them', async () => {
  const policy = {
    default: 'auto',
    rules: [{ tool: 'run_command', match: { command: 'git push*' }, policy: 'prompt' }],
  }
  const calls = ['git -C . push', 'git --no-pager push', 'git $(echo push)', 'g=push; git $g', 'git log'].map(
    (text, at) => command(`tc_${at}`, text),
  )
  await using project = await aProject({ script: [{ calls }, 'Done.'], policy })
  const { json } = await project.run(START)
  const asked = json.pause_reason.pending_tool_calls.map(
    (call: { requires_approval: boolean }) => call.requires_approval,
  )
  expect(asked).toEqual([true, true, true, true, false])
})

test('P1: no deadline approves a command, or a change of a file', async () => {
  const calls = [
    effect('tc_1', 'one'),
    { id: 'tc_2', name: 'write_file', args: { path: 'two', content: '' } },
    { id: 'tc_3', name: 'edit_file', args: { path: 'script.json', old_text: 'Done.', new_text: 'three' } },
  ]
  const config = { due: { seconds: 1, on_due: 'auto_approve' } }
  await using project = await aProject({ script: [{ calls }, 'Done.'], config })
  expect(await project.run(START)).toMatchObject({ exit: 10 })
  await new Promise(resolve => setTimeout(resolve, 1_100))
  await project.holdpoint('work', '--once')
  expect([await project.effects(), project.exists('two')]).toEqual([[], false])
  expect(await project.read('script.json')).toContain('Done.')
})

const NO_SECRETS = { tool: '*', match: { path: 'secrets/*' }, policy: 'never' }
const WRITE = { id: 'tc_2', name: 'write_file', args: { path: 'notes/a', content: 'written' } }

test('P9: an approved write does not follow a link that was made since', async () => {
  const policy = { default: 'prompt', rules: [NO_SECRETS] }
  const files = { 'notes/x': '', 'secrets/x': '', 'drafts/x': '' }
  for (const [target, exit] of [
    ['drafts', 10],
    ['secrets', 0],
  ] as const) {
    await using project = await aProject({ script: [{ calls: [WRITE] }, 'Done.'], policy, files })
    const paused = await project.run(START)
    await rm(project.path('notes'), { recursive: true })
    await symlink(project.path(target), project.path('notes'))
    const resumed = await project.run(['-c', paused.json.checkpoint_id, '--approve', 'tc_2', '-o', 'json'])
    expect([resumed.exit, project.exists(target, 'a')]).toEqual([exit, false])
    if (exit === 0) continue
    // Approved anew, it writes to the place that the approver was told of.
    await project.run(['-c', resumed.json.checkpoint_id, '--approve', 'tc_2', '-o', 'json'])
    expect(project.exists(target, 'a')).toBe(true)
  }
})

test('P1: a call that passed does not follow a link that another call of its batch made', async () => {
  const link = command('tc_1', 'rm -r notes && ln -s secrets notes')
  const policy = { default: 'auto', rules: [NO_SECRETS] }
  const files = { 'notes/x': '', 'secrets/x': '' }
  const script = [{ calls: [link, WRITE] }, { calls: [{ ...WRITE, id: 'tc_3' }] }, 'Done.']
  await using project = await aProject({ script, policy, files })
  await project.run(['-a', '-o', 'json', 'go'])
  expect(project.exists('secrets', 'a')).toBe(false)
})

const LOOSEN = {
  id: 'tc_1',
  name: 'write_file',
  args: { path: '.holdpoint/policy.json', content: '{"default":"auto"}' },
}
const TIGHT = { default: 'never', tools: { write_file: 'auto' } }

test('P1: an agent that would rewrite its policy is held, although it may write files', async () => {
  await using project = await aProject({ script: [{ calls: [LOOSEN] }, 'Done.'], policy: TIGHT })
  const paused = await project.run(START)
  expect(paused).toMatchObject({
    exit: 10,
    json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1', requires_approval: true }] } },
  })
  expect(JSON.parse(await project.read('.holdpoint', 'policy.json'))).toEqual(TIGHT)
  expect(await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1')).toMatchObject({ exit: 0 })
  expect(await project.read('.holdpoint', 'policy.json')).toBe('{"default":"auto"}')
})

test('P1: an agent that would rewrite its policy is refused where nobody can be asked', async () => {
  await using project = await aProject({ script: [{ calls: [LOOSEN] }, 'Done.'], policy: TIGHT })
  const done = await project.run(['-a', '-o', 'json', 'go'])
  expect(done.exit).toBe(0)
  expect(JSON.parse(await project.read('.holdpoint', 'policy.json'))).toEqual(TIGHT)
  const [result] = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(result.content).toMatch(/^TOOL_CALL_FORBIDDEN: /)
})

test('P1: a policy that is loosened while a run waits does not loosen that run', async () => {
  const script = [{ calls: [effect('tc_1', 'one')] }, { calls: [effect('tc_2', 'two')] }, 'Done.']
  await using project = await aProject({ script })
  const paused = await project.run(START)
  await project.write('.holdpoint/policy.json', JSON.stringify({ default: 'auto' }))
  const next = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(next).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  expect(await project.effects()).toEqual(['one'])
})

test('P1: a call cannot be edited into one that is never, and stays open for another decision', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'echo one >> effects.log')] }, 'Done.'],
    policy: { rules: [NO_RM] },
  })
  const { checkpoint_id } = (await project.run(START)).json
  const edit = (text: string) => [
    '-c',
    checkpoint_id,
    '--edit',
    `tc_1=${JSON.stringify({ command: text })}`,
    '-o',
    'json',
  ]
  for (const text of ['rm effects.log', 'echo; sudo /bin/rm x']) {
    const refused = await project.run(edit(text))
    expect(refused).toMatchObject({
      exit: 2,
      json: { outcome: 'refused', error: { code: 'forbidden_edit', message: expect.stringContaining('rm *') } },
    })
  }
  expect(await project.effects()).toEqual([])
  expect(await project.run(edit('echo two >> effects.log'))).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['two'])
})

test('P1: of a batch with one call that asks, nothing runs before it is decided', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'git status'), effect('tc_2', 'two')] }, 'Done.'],
    policy: { rules: [GIT_STATUS] },
  })
  const paused = await project.run(START)
  expect(paused.json.pause_reason.pending_tool_calls).toMatchObject([
    { id: 'tc_1', requires_approval: false },
    { id: 'tc_2', requires_approval: true },
  ])
})

test('names of policy may be written as AutoApprove, Prompt and Never, and comments are read over', async () => {
  const text = '{ // ours\n "default": "Prompt", "tools": { "run_command": "AutoApprove", "write_file": "NEVER", }, }'
  await using project = await aProject({ files: { '.holdpoint/policy.json': text } })
  expect((await checked(project, 'make')).policy).toBe('auto')
  expect((await checked(project, '--tool', 'write_file', '--arguments', '{"path":"a","content":""}')).policy).toBe(
    'never',
  )
})

test('the commands of a line are explained if it asks, and not if a rule forbids it or permits its very text', async () => {
  const rule = (command: string, policy: string) => ({ tool: 'run_command', match: { command }, policy })
  const rules = [rule('git push*', 'never'), rule('cd src && npm test', 'auto')]
  await using project = await aProject({ policy: { default: 'prompt', rules } })
  const parts = async (line: string) => (await project.holdpoint('policy', 'check', line, '--json')).json.parts
  expect(await parts('cd src && make')).toHaveLength(2)
  expect(await parts('make && git push')).toBe(undefined)
  expect(await parts('cd src && npm test')).toBe(undefined)
})
