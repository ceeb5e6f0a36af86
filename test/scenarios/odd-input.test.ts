/** Odd input gets an error of its own, and changes nothing. */
import { expect, test } from 'vitest'
import { aProject, command } from './project.ts'

const DEEP = 20_000
const AGENT = (head: string) => `---\nname: helper\n${head}\n---\nYou help.\n`
const HIDDEN = 'a\u009b2Jb\u202ec\u200bd\u2028e\u{e0041}'

test.each([
  ['cyclic YAML', 'policy: &a { tools: *a }', 'refers to itself'],
  ['cyclic YAML that doubles', 'policy: &a { default: *a, tools: *a }', 'refers to itself'],
  ['deep YAML', `policy: ${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, 'nested'],
  ['a key that stands twice', 'policy: { tools: { run_command: never, run_command: auto } }', 'unique'],
  ['a block key that stands twice', 'policy:\n  tools:\n    run_command: never\n    run_command: auto', 'unique'],
])('an agent with %s is refused', async (_, head, says) => {
  await using project = await aProject({ script: ['Done.'], files: { 'a.md': AGENT(head) } })
  const refused = await project.holdpoint('--agent', 'a.md', '-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { error: { code: 'invalid_agent' } } })
  expect(refused.json.error.message).toContain(says)
})

test.each([
  ['cyclic', '- &a { text: x, calls: [*a, *a] }', 'refers to itself'],
  ['deep', `- ${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, 'nested'],
])('a script in %s YAML is refused', async (_, script, says) => {
  await using project = await aProject({ files: { 's.yaml': script } })
  const refused = await project.holdpoint('--model', 'script:s.yaml', '-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { error: { code: 'invalid_script' } } })
  expect(refused.json.error.message).toContain(says)
})

const TWICE = '{ "tools": {\n "run_command": "never",\n "run_command": "auto" } }'

test.each([
  ['a policy with a key twice', 'policy', TWICE, '"run_command" twice'],
  ['a policy with an escaped key twice', 'policy', TWICE.replace('"run', '"\\u0072un'), 'twice'],
  ['a policy with a key twice at its top', 'policy', '{"default":"never","default":"auto"}', 'twice'],
  ['deep JSON as a policy', 'policy', `{"tools":${'['.repeat(DEEP)}`, 'nested'],
  ['a configuration with a key twice', 'config', '{"model":"a/b","model":"c/d"}', 'twice'],
  ['deep JSON as configuration', 'config', `{"groups":${'{"a":'.repeat(DEEP)}`, 'nested'],
  ['a NUL in the URL of the store', 'config', '{"store":"sqlite:a\\u0000b"}', 'NUL'],
])('a project with %s is refused', async (_, name, text, says) => {
  await using project = await aProject({ script: ['Done.'], files: { [`.holdpoint/${name}.json`]: text } })
  const refused = await project.holdpoint('-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { error: { code: `invalid_${name}` } } })
  expect(refused.json.error.message).toContain(says)
})

test('objects beside one another may have equal keys', async () => {
  const policy = { rules: [1, 2].map(n => ({ tool: `t${n}`, match: { a: '*' }, policy: 'auto' })) }
  await using project = await aProject({ script: ['Done.'], policy })
  expect((await project.holdpoint('go')).exit).toBe(0)
})

test('deep JSON in a decision is refused, and the hold stays open', async () => {
  const deep = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`
  await using project = await aProject({ script: [{ calls: [command('tc_1', 'true')] }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')
  const tries = [
    ['-c', paused.json.checkpoint_id, '--edit', `tc_1=${deep}`],
    ['edit', 'tc_1', '--arguments', deep],
    ['answer', 'tc_1', '--value', deep],
    ['policy', 'check', '--tool', 'write_file', '--arguments', deep],
  ]
  for (const args of tries) {
    const refused = await project.holdpoint(...args, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused' } })
  }
  expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
})

test.each([
  ['{"command":"true","timeout_seconds":1e999}', 'timeout_seconds is 1e999, a number that cannot be kept exactly'],
  ['{"command":"true","timeout_seconds":12345678901234567890}', 'timeout_seconds is 12345678901234567890'],
  ['{"command":"true","command":"false"}', 'has the key \\"command\\" more than once'],
  ['{"command":"true","__proto__":{}}', 'has a key \\"__proto__\\"'],
])('P9: the edit %s is refused with its place, and the hold stays open', async (json, problem) => {
  await using project = await aProject({ script: [{ calls: [command('tc_1', 'true')] }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')
  await project.write('edit.json', json)
  const tries = [
    ['-c', paused.json.checkpoint_id, '--edit', `tc_1=${json}`],
    ['-c', paused.json.checkpoint_id, '--edit', 'tc_1=@edit.json'],
    ['edit', 'tc_1', '--arguments', json],
  ]
  for (const args of tries) {
    const refused = await project.holdpoint(...args, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_arguments' } } })
    expect(refused.stdout).toContain(problem)
  }
  expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
})

test('P9: JSON output hides nothing from a terminal, and is the same JSON', async () => {
  await using project = await aProject({
    script: [{ text: HIDDEN, calls: [command('tc_1', `echo ${HIDDEN}`)] }, HIDDEN],
  })
  const paused = await project.holdpoint('--pause-on', 'approval', '-o', 'json', HIDDEN)
  const { session_id, run_id, checkpoint_id } = paused.json
  const outputs = [
    paused,
    await project.holdpoint('holds', '--json'),
    await project.holdpoint('show', run_id, '--json'),
    await project.holdpoint('threads', 'show', session_id, '--json'),
    await project.holdpoint('-c', checkpoint_id, '--approve', 'tc_1', '-o', 'stream-json'),
    { stdout: await project.read('.holdpoint/session/pause.json').catch(() => '') },
  ]
  for (const { stdout } of outputs) expect(stdout).not.toMatch(/[\u007f-\u009f\u200b\u2028\u202e]|\u{e0041}/u)
  expect(paused.json.agent_message).toBe(HIDDEN)
  expect(paused.json.pause_reason.pending_tool_calls[0].arguments.command).toBe(`echo ${HIDDEN}`)
})
