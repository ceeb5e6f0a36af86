import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aProject, CLI, command, effect, ended, type Finished, type Project } from './project.ts'

const oneGated = [{ text: 'About to.', calls: [effect('tc_1', 'one')], usage: { input: 3, output: 2 } }, 'Done.']
const prompting = { tools: { run_command: 'prompt' } }
const SESSION = '.holdpoint/session'

/** stdout as exactly one line of JSON, with nothing on stderr. */
function onlyDocument({ stdout, stderr }: Finished): Record<string, unknown> {
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

async function manifests(project: Project): Promise<string[]> {
  if (!project.exists(SESSION)) return []
  return (await readdir(project.path(SESSION), { recursive: true })).filter(name => name !== 'pauses').toSorted()
}

test('a pause is one JSON document with all that is needed to go on', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const paused = onlyDocument(await project.holdpoint('--pause-on-approval', '-o', 'json', 'go'))
  expect(paused).toEqual({
    outcome: 'paused',
    checkpoint_id: expect.stringMatching(/^cp_\w+$/),
    session_id: expect.stringMatching(/^th_\w+$/),
    run_id: expect.stringMatching(/^run_\w+$/),
    pause_reason: { type: 'tool_approval_required', pending_tool_calls: [expect.anything()], questions: [] },
    agent_message: 'About to.',
    resume_hint: `holdpoint -c ${paused['checkpoint_id']} --approve tc_1`,
    due_at: null,
    steps_taken: 1,
    model: expect.stringMatching(/^script:.*script\.json$/),
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  })
})

const endings: readonly [title: string, args: string[], exit: number, document: Record<string, unknown>][] = [
  [
    'completed',
    ['go'],
    0,
    { outcome: 'completed', final_message: 'Done.', termination: { type: 'natural_end' }, steps_taken: 2 },
  ],
  ['stopped', ['--max-steps', '1', 'go'], 1, { outcome: 'stopped', error: { code: 'max_rounds' }, steps_taken: 1 }],
  [
    'failed',
    ['--model', 'script:failing.json', 'go'],
    1,
    { outcome: 'failed', error: { code: 'model_error', message: expect.stringContaining('no more') } },
  ],
  ['refused', ['--model', 'nowhere', 'go'], 2, { outcome: 'refused', error: { code: 'unknown_model' }, run_id: null }],
  ['refused for its flags', ['--bogus'], 2, { outcome: 'refused', error: { code: 'invalid_arguments' } }],
  [
    'refused for flags written together',
    ['-ao', 'json', '--bogus'],
    2,
    { outcome: 'refused', error: { code: 'invalid_arguments' } },
  ],
  [
    'unable to use its store',
    ['--store', 'sqlite:notes.txt', 'go'],
    1,
    { outcome: 'failed', error: { code: 'store_not_a_database' } },
  ],
  ['a command that fails', ['show', 'hold_nowhere'], 2, { outcome: 'refused', error: { code: 'no_store' } }],
]

test.for(endings)('stdout is one JSON document where the invocation is %s', async ([, args, exit, document]) => {
  await using project = await aProject({
    script: oneGated,
    files: { 'failing.json': '[{"error":{"message":"no more"}}]', 'notes.txt': 'no database at all, only a few notes' },
  })
  const output = args.includes('json') ? [] : ['-o', 'json']
  const finished = await project.holdpoint(...args.slice(0, -1), ...output, ...args.slice(-1))
  expect(onlyDocument(finished)).toMatchObject(document)
  expect(finished.exit).toBe(exit)
})

test('--json and -o json are the same', async () => {
  await using project = await aProject({ script: oneGated })
  expect(onlyDocument(await project.holdpoint('--json', 'go'))).toMatchObject({ outcome: 'completed' })
})

test('progress goes to stderr with --verbose, and stdout stays one document', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '--verbose', '-o', 'json', 'go')
  expect(paused.json.outcome).toBe('paused')
  expect(paused.stderr).toMatch(/^\? run_command {2}echo one.* · waits \(approval\): /m)
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '--verbose', '-o', 'json')
  expect(done.json.outcome).toBe('completed')
  expect(done.stderr).toContain('ana says approve to tc_1')
  expect(done.stderr).toMatch(/^✓ run_command {2}echo one/m)
})

test('the manifest of a pause equals stdout, byte for byte, and only its owner may read it', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const { stdout, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await manifests(project)).toEqual(['pause.json', `pauses/${json.run_id}.json`])
  for (const name of await manifests(project)) {
    expect(await project.read(SESSION, name)).toBe(stdout)
    expect((await stat(project.path(SESSION, name))).mode & 0o777).toBe(0o600)
  }
})

test('the manifest is written in text mode too, and says the same', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const { exit, stdout } = await project.holdpoint('--pause-on-approval', 'go')
  expect(exit).toBe(10)
  const manifest = JSON.parse(await project.read(SESSION, 'pause.json'))
  expect(manifest).toMatchObject({ outcome: 'paused', pause_reason: { pending_tool_calls: [{ id: 'tc_1' }] } })
  expect(stdout).toContain(manifest.resume_hint)
})

test('the directory of the project’s runs keeps itself out of version control', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect((await project.read('.holdpoint/.gitignore')).split('\n')[0]).toBe('*')
})

const resolutions: readonly [how: string, args: string[], exit: number][] = [
  ['approved', ['--approve', 'tc_1'], 0],
  ['rejected', ['--reject', 'tc_1'], 0],
  ['approved, and the run then fails', ['--approve', 'tc_1', '--model', 'script:failing.json'], 1],
]

test.for(resolutions)('the manifest is removed once its pause is %s', async ([, args, exit]) => {
  await using project = await aProject({
    script: oneGated,
    policy: prompting,
    files: { 'failing.json': '["",{"error":{"message":"no more"}}]' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await project.holdpoint('-c', paused.json.checkpoint_id, ...args)).toMatchObject({ exit })
  expect(await manifests(project)).toEqual([])
})

test('the manifest is removed once a text pause is answered or accepted', async () => {
  await using project = await aProject({ script: ['Shall I?', 'Done.'] })
  for (const answer of [['yes'], ['--finish']]) {
    const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await manifests(project)).toHaveLength(2)
    await project.holdpoint('-c', paused.json.checkpoint_id, ...answer)
    expect(await manifests(project)).toEqual([])
  }
})

test('a refused decision leaves the manifest where it is', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_9')).toMatchObject({ exit: 2 })
  expect(await project.read(SESSION, 'pause.json')).toBe(paused.stdout)
})

test('a run that pauses again replaces its manifest', async () => {
  const twoGated = [{ calls: [effect('tc_1', 'one')] }, { calls: [effect('tc_2', 'two')] }]
  await using project = await aProject({ script: twoGated, policy: prompting })
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(await manifests(project)).toEqual(['pause.json', `pauses/${first.json.run_id}.json`])
  expect(await project.read(SESSION, 'pause.json')).toBe(second.stdout)
})

test('of two agents that pause in one directory at once, neither is lost', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const args = ['--pause-on-approval', '-o', 'json', 'go']
  const [one, two] = await Promise.all([project.holdpoint(...args), project.holdpoint(...args)])
  expect([one.exit, two.exit]).toEqual([10, 10])
  for (const { json, stdout } of [one, two]) {
    expect(await project.read(SESSION, 'pauses', `${json.run_id}.json`)).toBe(stdout)
  }
  expect([one.stdout, two.stdout]).toContain(await project.read(SESSION, 'pause.json'))

  await project.holdpoint('-c', one.json.checkpoint_id, '--approve', 'tc_1')
  expect(await project.read(SESSION, 'pauses', `${two.json.run_id}.json`)).toBe(two.stdout)
  expect(project.exists(SESSION, 'pauses', `${one.json.run_id}.json`)).toBe(false)
  await project.holdpoint('-c', two.json.checkpoint_id, '--approve', 'tc_1')
  expect(await manifests(project)).toEqual([])
  expect(await project.effects()).toEqual(['one', 'one'])
})

test('a run that goes on takes back only what tells of its own pause', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const older = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const newer = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await project.holdpoint('-c', older.json.checkpoint_id, '--approve', 'tc_1')
  expect(await manifests(project)).toEqual(['pause.json', `pauses/${newer.json.run_id}.json`])
  expect(await project.read(SESSION, 'pause.json')).toBe(newer.stdout)
})

test('P4: whoever reads the manifest during many pauses never sees half of one', async () => {
  const content = 'x'.repeat(400_000)
  const turns = [1, 2, 3, 4, 5, 6].map(n => ({
    calls: [{ id: `tc_${n}`, name: 'write_file', args: { path: 'a.txt', content } }],
  }))
  await using project = await aProject({ script: turns, policy: { default: 'prompt' } })
  let pausing = true
  const seen = new Set<string>()
  const reading = (async () => {
    while (pausing) {
      const text = await readFile(project.path(SESSION, 'pause.json'), 'utf8').catch(() => null)
      if (text !== null) seen.add(JSON.parse(text).checkpoint_id)
      await setImmediate()
    }
  })()

  let paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const told = [paused.json.checkpoint_id]
  for (let n = 1; n < turns.length; n += 1) {
    paused = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', `tc_${n}`, '-o', 'json')
    told.push(paused.json.checkpoint_id)
  }
  pausing = false
  await reading
  // A reader that saw nothing would prove nothing.
  expect(seen.size).toBeGreaterThan(2)
  expect(told).toEqual(expect.arrayContaining([...seen]))
})

test('where the manifest cannot be written the run still pauses with exit 10, and stderr says so', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting, files: { [SESSION]: 'in the way' } })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(paused).toMatchObject({ exit: 10, json: { outcome: 'paused' }, stderr: expect.stringContaining('warning') })
  expect((await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1')).exit).toBe(0)
})

/** Pastes a text into `sh`, where `holdpoint` is on the path. */
async function paste(project: Project, text: string): Promise<Finished> {
  const bin = project.path('bin')
  await mkdir(bin, { recursive: true })
  await project.write('bin/holdpoint', `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
  await chmod(project.path('bin/holdpoint'), 0o755)
  const own = { PATH: `${bin}:${process.env['PATH']}`, HOME: project.directory, HOLDPOINT_ACTOR: 'ana' }
  const env = { ...own, HOLDPOINT_STORE: project.environment['HOLDPOINT_STORE'] }
  return ended(spawn('sh', ['-c', text], { cwd: project.directory, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

test('resume_hint pasted into a shell goes on with the run', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await paste(project, paused.json.resume_hint)).toMatchObject({ exit: 0, stdout: 'Done.\n', stderr: '' })
  expect(await project.effects()).toEqual(['one'])
})

test('resume_hint names the store where it is not the usual one, so that it works from anywhere', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  await using elsewhere = await aProject()
  const paused = await project.holdpoint(
    '--pause-on-approval',
    '--store',
    'sqlite:an other/$HOME.db',
    '-o',
    'json',
    'go',
  )
  expect(paused.json.resume_hint).toContain('--store')
  expect(await paste(elsewhere, paused.json.resume_hint)).toMatchObject({ exit: 0, stdout: 'Done.\n' })
  expect(await project.effects()).toEqual(['one'])
})

test.each([
  ['the environment', { HOLDPOINT_STORE: 'sqlite:other.db' }, {}],
  ['the settings of the project', {}, { store: 'sqlite:other.db' }],
])('resume_hint leaves out a store that %s names', async (_, env, config) => {
  await using project = await aProject({ script: oneGated, policy: prompting, env, config })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(paused.json.resume_hint).toBe(`holdpoint -c ${paused.json.checkpoint_id} --approve tc_1`)
  expect(await paste(project, paused.json.resume_hint)).toMatchObject({ exit: 0, stdout: 'Done.\n' })
})

test('resume_hint of a text pause and of a question works too', async () => {
  const ask = { calls: [{ id: 'tc_1', name: 'ask_human', args: { question: 'Which?' } }] }
  for (const script of [
    ['Shall I?', 'Done.'],
    [ask, 'Done.'],
  ]) {
    await using project = await aProject({ script })
    const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await paste(project, paused.json.resume_hint)).toMatchObject({ exit: 0, stdout: 'Done.\n' })
  }
})

const SHELL_SYNTAX: readonly string[] = [
  `it's "quoted"`,
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned; #',
  '&& touch pwned',
  '> pwned',
  '--reject',
  '-rf',
  '*',
  '~',
  'a=b',
  '\\',
  'two words',
  'two\nlines',
  'tab\there',
  '\u001b[31mred',
  'left\u202eright',
  'ü 😀',
]

test('resume_hint works with call ids full of shell syntax, and does nothing else', async () => {
  const calls = SHELL_SYNTAX.map((id, index) => effect(id, `word-${index}`))
  await using project = await aProject({ script: [{ calls }, 'Done.'], policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await paste(project, paused.json.resume_hint)).toMatchObject({ exit: 0, stdout: 'Done.\n', stderr: '' })
  expect(await project.effects()).toEqual(SHELL_SYNTAX.map((_, index) => `word-${index}`))
  expect(project.exists('pwned')).toBe(false)
})

test('resume_hint answers questions whose ids are full of shell syntax', async () => {
  const calls = SHELL_SYNTAX.map(id => ({ id, name: 'ask_human', args: { question: 'Which?' } }))
  await using project = await aProject({ script: [{ calls }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(await paste(project, paused.json.resume_hint)).toMatchObject({ exit: 0, stdout: 'Done.\n', stderr: '' })
  expect(project.exists('pwned')).toBe(false)
})

function lines({ stdout }: Finished): Record<string, unknown>[] {
  expect(stdout.endsWith('\n')).toBe(true)
  return stdout
    .slice(0, -1)
    .split('\n')
    .map(line => JSON.parse(line))
}

function durable(events: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return events.slice(0, -1).filter(event => event['ephemeral'] !== true)
}

test('stream-json is one JSON document per line, in the order of the journal, and ends with the outcome', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'stream-json', 'go')
  expect(paused).toMatchObject({ exit: 10, stderr: '' })
  const events = lines(paused)
  expect(durable(events).map(({ seq }) => seq)).toEqual(durable(events).map((_, index) => index + 1))
  expect(durable(events).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['run.started', 'message.received', 'model.answered', 'hold.opened', 'checkpoint.named']),
  )
  const manifest = JSON.parse(await project.read(SESSION, 'pause.json'))
  expect(events.at(-1)).toEqual({ kind: 'outcome', ...manifest })
})

test('stream-json of a resume goes on where that of the pause ended, decisions included', async () => {
  await using project = await aProject({ script: oneGated, policy: prompting })
  const first = lines(await project.holdpoint('--pause-on-approval', '-o', 'stream-json', 'go'))
  const checkpoint = String(first.at(-1)?.['checkpoint_id'])
  const second = lines(await project.holdpoint('-c', checkpoint, '--approve', 'tc_1', '-o', 'stream-json'))
  const seqs = [...durable(first), ...durable(second)].map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  expect(durable(second).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['hold.decided', 'call.started', 'call.finished', 'run.finished']),
  )
  expect(second.at(-1)).toMatchObject({ kind: 'outcome', outcome: 'completed' })
})

test('stream-json tells pieces of text as they come, and marks them as passing', async () => {
  await using project = await aProject({ script: ['One two three four five six.'] })
  const pieces = lines(await project.holdpoint('-o', 'stream-json', 'go')).filter(({ kind }) => kind === 'text.delta')
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.every(piece => piece['ephemeral'] === true)).toBe(true)
  expect(pieces.map(piece => (piece['data'] as { delta: string }).delta).join('')).toBe('One two three four five six.')
})

test('stream-json of a refusal is the one line that says so', async () => {
  await using project = await aProject({ script: oneGated })
  const refused = await project.holdpoint('-o', 'stream-json', '-c', 'cp_nowhere')
  expect(refused).toMatchObject({ exit: 2, stderr: '' })
  expect(lines(refused)).toMatchObject([{ kind: 'outcome', outcome: 'refused', error: { code: 'no_store' } }])
})

test('text mode shows the ids, every pending call in full, and the hint', async () => {
  const long = `echo ${'a'.repeat(5_000)} end >> effects.log`
  const calls = [{ id: 'tc_1', name: 'read_file', args: { path: 'a.txt' } }, command('tc_2', long)]
  await using project = await aProject({ script: [{ text: 'Look.', calls }] })
  const { stdout, stderr, exit } = await project.holdpoint('--pause-on-approval', 'go')
  const manifest = JSON.parse(await project.read(SESSION, 'pause.json'))
  expect({ exit, stderr }).toEqual({ exit: 10, stderr: '' })
  for (const shown of [
    'Look.',
    'tc_1',
    'read_file',
    'a.txt',
    'tc_2',
    'end >> effects.log  (needs approval)',
    long,
    manifest.resume_hint,
  ]) {
    expect(stdout).toContain(shown)
  }
  for (const id of ['checkpoint_id', 'session_id', 'run_id']) expect(stdout).toContain(manifest[id])
})

test('text mode shows questions with their context and choices', async () => {
  const args = { question: 'Where to?', context: { from: 'here' }, choices: ['staging', 'production'] }
  await using project = await aProject({ script: [{ calls: [{ id: 'tc_1', name: 'ask_human', args }] }] })
  const { stdout } = await project.holdpoint('--pause-on-approval', 'go')
  for (const shown of ['tc_1', 'Where to?', 'from', 'here', 'staging', 'production', '--answer'])
    expect(stdout).toContain(shown)
})

/** What an approver could be shown one thing with while another is meant. */
const INVISIBLE: readonly [what: string, character: string][] = [
  ['a direction override', '\u202e'],
  ['a zero width space', '\u200b'],
  ['a zero width joiner', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a no-break space', '\u00a0'],
  ['a line separator', '\u2028'],
  ['a variation selector', '\ufe0f'],
  ['a far variation selector', '\u{e0100}'],
  ['a tag character', '\u{e0041}'],
  ['a combining grapheme joiner', '\u034f'],
  ['a Hangul filler', '\u3164'],
  ['a braille blank', '\u2800'],
  ['an escape', '\u001b'],
  ['a carriage return', '\r'],
  ['a C1 control', '\u009b'],
]

test('P9: text mode makes invisible characters of whatever is to be decided visible', async () => {
  const hidden = INVISIBLE.map(([, character]) => `a${character}b`).join(' ')
  const calls = [
    command(`tc_1${hidden}`, `echo ${hidden}`),
    { id: 'tc_2', name: 'ask_human', args: { question: `Q ${hidden}?`, choices: [hidden, 'b'] } },
  ]
  await using project = await aProject({ script: [{ text: `Look: ${hidden}`, calls }] })
  const { exit, stdout } = await project.holdpoint('--pause-on-approval', 'go')
  expect(exit).toBe(10)
  const raw = INVISIBLE.filter(([, character]) => stdout.includes(character)).map(([what]) => what)
  expect(raw).toEqual([])
  expect(stdout).toContain('a\\u{202e}b')
})

test('text mode prints the final message as it is, and nothing else', async () => {
  await using project = await aProject({ script: ['Fin\u00e9 \u{1f600}\n  as it is.'] })
  expect(await project.holdpoint('go')).toMatchObject({
    exit: 0,
    stdout: 'Fin\u00e9 \u{1f600}\n  as it is.\n',
    stderr: '',
  })
})

test('text mode says on stderr what went wrong and what to do', async () => {
  await using project = await aProject({ script: oneGated })
  const refused = await project.holdpoint('--model', 'nowhere', 'go')
  expect(refused).toMatchObject({ exit: 2, stdout: '' })
  expect(refused.stderr).toMatch(/^holdpoint: refused: There is no model "nowhere"[\s\S]*anthropic\//)
})

test('the manifest of a pause whose process was killed behind the end of its run is taken back by the next one', async () => {
  await using project = await aProject({ script: ['All is well.'] })
  const { checkpoint_id } = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).json
  const killed = await project.run(['-c', checkpoint_id, '--finish'], {
    node: ['--import', resolve(import.meta.dirname, 'crash-at-commit.mjs')],
    env: { CRASH_AT: 'after:append(checkpoint.named, run.finished) and release' },
  })
  expect(killed.signal).toBe('SIGKILL')
  expect(await manifests(project)).not.toEqual([])
  expect(await project.holdpoint('-c', checkpoint_id, '-o', 'json')).toMatchObject({ exit: 2 })
  expect(await manifests(project)).toEqual([])
})
