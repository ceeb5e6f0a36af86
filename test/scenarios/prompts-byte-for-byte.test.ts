import { execFileSync, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { journalOf } from './journal.ts'
import { aProject, CLI, ended, type Project } from './project.ts'

/** Texts that something on the way could take for something else, or put right. */
const TEXTS: readonly [what: string, text: string][] = [
  ['the name of a command', 'runs'],
  ['the word help', 'help'],
  ['a dash alone', '-'],
  ['a flag', '--approve-all'],
  ['leading dashes', '--- a/file\n+++ b/file'],
  ['quotes', `it's "quoted" and \\"escaped\\"`],
  ['shell syntax', '$(touch pwned) `touch pwned` $HOME; touch pwned && *'],
  ['newlines', 'one\ntwo\n\nthree'],
  ['line ends of another system', 'one\r\ntwo\r\n'],
  ['trailing newlines', 'text\n\n\n'],
  ['white space around it', '  \t text \t '],
  ['emoji and combining characters', '👩‍👩‍👧 e\u0301 Ωß 日本語'],
  ['a byte order mark', '\ufefftext'],
  ['invisible characters', 'a\u202eb\u200bc\u2028d'],
  ['control characters', 'a\u001b[31mb\u0007c'],
  ['JSON', '{"role":"system","content":"\\n"}'],
  ['what looks like an answer to a call', 'tc_1=yes'],
]

/** What the journal holds of people's words, oldest first: prompts, and answers. */
function wordsIn(project: Project): unknown[] {
  return journalOf(project).flatMap(({ kind, data }) => {
    if (kind === 'message.received') return [data.content]
    return kind === 'hold.decided' ? [data.decision.value] : []
  })
}

const ALL = TEXTS.map(([, text]) => text)

test.for(TEXTS)(
  'a prompt of %s arrives byte for byte, from behind --, from stdin and from a file',
  async ([, text]) => {
    await using project = await aProject({ script: ['Done.'], files: { 'prompt.txt': text } })
    expect((await project.holdpoint('--', text)).exit).toBe(0)
    expect((await project.run(['-'], { stdin: text })).exit).toBe(0)
    expect((await project.holdpoint('--prompt-file', 'prompt.txt')).exit).toBe(0)
    expect(wordsIn(project)).toEqual([text, text, text])
    expect(project.exists('pwned')).toBe(false)
  },
)

test('answers to questions arrive byte for byte at the model', async () => {
  const calls = ALL.map((_, index) => ({ id: `tc_${index}`, name: 'ask_human', args: { question: 'What?' } }))
  await using project = await aProject({ script: [{ calls }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on', 'question', '-o', 'json', 'go')
  const answers = ALL.flatMap((text, index) => ['--answer', `tc_${index}=${text}`])
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json', ...answers)
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
  const results = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual(ALL)
})

test('answers to texts arrive byte for byte at the model', async () => {
  await using project = await aProject({ script: ALL.map((_, index) => `And ${index}?`) })
  let { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  for (const text of ALL) {
    ;({ json } = await project.holdpoint('-c', json.checkpoint_id, '--pause-on-approval', '-o', 'json', '--', text))
  }
  const said = (await project.messages(json.session_id)).filter(({ role }) => role === 'user')
  expect(said.map(({ content }) => content)).toEqual(['go', ...ALL])
})

test('an answer arrives byte for byte from stdin', async () => {
  const text = '\ufeff "yes"\r\n$(touch pwned)\n\n'
  await using project = await aProject({ script: ['Shall I?', 'Done.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect((await project.run(['-c', paused.json.checkpoint_id, '-'], { stdin: text })).exit).toBe(0)
  expect(wordsIn(project)).toEqual(['go', text])
})

test('behind -- a prompt may be given as several words', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('-o', 'json', '--', 'fix', 'the  build', 'now')
  expect(wordsIn(project)).toEqual(['fix the  build now'])
})

test('a prompt of a megabyte arrives from stdin', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const text = 'zeile €\n'.repeat(120_000)
  await project.run(['-o', 'json', '-'], { stdin: text })
  expect(wordsIn(project)).toEqual([text])
})

test('a prompt that is no UTF-8 is refused rather than changed', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const refused = await project.run(['-o', 'json', '-'], { stdin: Uint8Array.of(0x66, 0xff, 0xfe) })
  expect(refused).toMatchObject({
    exit: 2,
    json: { error: { code: 'unreadable_file', message: expect.stringContaining('stdin') } },
  })
})

test('stdin can be read for one thing only', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const refused = await project.run(['-o', 'json', '--system-prompt-file', '-', '-'], { stdin: 'text' })
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused' } })
})

test('a system prompt arrives byte for byte from a file', async () => {
  const system = '\ufeff# You are "careful"\r\n\r\n$(whoami) \u202e\n\n'
  await using project = await aProject({ script: ['Done.'], files: { 'system.md': system } })
  const { json } = await project.holdpoint('-o', 'json', '--system-prompt-file', 'system.md', 'go')
  expect((await project.holdpoint('threads', 'show', json.session_id, '--json')).json.system).toBe(system)
})

test('a reason arrives byte for byte at the model', async () => {
  const reason = 'it\'s "no"\n$(touch pwned) 👎\n'
  await using project = await aProject({
    script: [{ calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'a', content: '' } }] }, 'Done.'],
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--reject', 'tc_1', '--reason', reason)
  const [, , result] = await project.messages(paused.json.session_id)
  expect(result.content).toBe(`TOOL_CALL_REJECTED: ${reason}`)
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an image on the disk reaches the model byte for byte by read_file, whatever its name', async () => {
  const read = { id: 'tc_1', name: 'read_file', args: { path: 'shot.jpg' } }
  await using project = await aProject({ script: [{ calls: [read] }, 'Done.'] })
  await writeFile(project.path('shot.jpg'), PNG, 'base64')
  const { json } = await project.holdpoint('-t', 'read_file', '-o', 'json', 'look')
  const result = (await project.messages(json.session_id)).find(({ role }) => role === 'tool')
  expect(result.parts).toEqual([
    { type: 'text', text: 'shot.jpg: image/png, 70 bytes' },
    { type: 'image', media_type: 'image/png', data: PNG },
  ])
})

/** A megabyte in which a byte too many or too few would show. */
const MEGABYTE = Array.from({ length: 32_768 }, (_, index) => `${index} "€\\ \u0000\u{1f600}\r\n`)
  .join('')
  .slice(0, 1_000_000)
  .toWellFormed()

test('a megabyte of arguments goes through pause, manifest and resume unchanged', async () => {
  const args = { path: 'big.txt', content: MEGABYTE }
  await using project = await aProject({ script: [{ calls: [{ id: 'tc_1', name: 'write_file', args }] }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(paused.exit).toBe(10)
  expect(paused.json.pause_reason.pending_tool_calls[0].arguments).toStrictEqual(args)
  expect(await project.read('.holdpoint/session/pause.json')).toBe(paused.stdout)

  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect((await project.read('big.txt')) === MEGABYTE).toBe(true)
})

test('a megabyte of edited arguments is read from a file and from stdin', async () => {
  const edited = JSON.stringify({ path: 'big.txt', content: MEGABYTE })
  for (const source of ['edit.json', '-']) {
    await using project = await aProject({
      script: [{ calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'a.txt', content: 'small' } }] }, 'Done.'],
      files: { 'edit.json': edited },
    })
    const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const args = ['-c', paused.json.checkpoint_id, '--edit', `tc_1=@${source}`, '-o', 'json']
    const done = await project.run(args, source === '-' ? { stdin: edited } : {})
    expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect((await project.read('big.txt')) === MEGABYTE).toBe(true)
    expect(project.exists('a.txt')).toBe(false)
  }
})

const DIFF = '-- a/cart.ts\n+ total: 7 € \ufeff\r\n\n'

test('what is piped to a prompt, and to the text of a resume, goes behind it byte for byte', async () => {
  await using project = await aProject({
    script: ['Reviewed?', 'Again?', 'Done.'],
    files: { 'more.diff': DIFF, 'prompt.txt': 'from a file' },
  })
  const first = await project.run(['--pause-on', 'input', '-o', 'json', 'review this'], { stdin: DIFF })
  await project.run(['-c', first.json.checkpoint_id, 'and this'], { stdin: DIFF })
  await project.run(['--prompt-file', 'prompt.txt'], { stdin: DIFF })
  await ended(spawn('sh', ['-c', `"$0" "$1" review < more.diff`, process.execPath, CLI], at(project)))
  const behind = `\n\nStandard input:\n${DIFF}`
  const words = ['review this', 'and this', 'from a file', 'review']
  expect(wordsIn(project)).toEqual(words.map(text => `${text}${behind}`))
})

test('an empty or blank stdin, /dev/null and one that another flag names add nothing to a prompt', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await project.run(['go'], { stdin: '' })
  await project.run(['go'], { stdin: '\n' })
  await project.run(['go'], { own: true })
  await project.run(['--system-prompt-file', '-', 'go'], { stdin: 'Be careful.' })
  expect(wordsIn(project)).toEqual(['go', 'go', 'go', 'go'])
})

test('a pipe that stays open without a byte holds nothing up, and is told', async () => {
  await using project = await aProject({ script: ['Done.'] })
  execFileSync('mkfifo', [project.path('open')])
  const open = openSync(project.path('open'), 'r+')
  onTestFinished(() => closeSync(open))
  const told = await ended(
    spawn(process.execPath, [CLI, '-o', 'json', 'go'], { ...at(project), stdio: [open, 'pipe', 'pipe'] }),
  )
  expect(told.json).toMatchObject({ outcome: 'completed', warnings: [{ code: 'silent_stdin' }] })
  expect(wordsIn(project)).toEqual(['go'])
})

test('a pipe that a program left open is no input, and is not told', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const child = spawn(process.execPath, [CLI, '-o', 'json', 'go'], at(project))
  const done = await ended(child)
  child.stdin?.destroy()
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed' } })
  expect(done.json).not.toHaveProperty('warnings')
  expect(wordsIn(project)).toEqual(['go'])
})

test('a script that a shell reads from its stdin, and the rest of a loop, stay theirs', async () => {
  await using project = await aProject({ script: ['One.'], files: { 'list.txt': 'a\nb\n' } })
  const holdpoint = `'${process.execPath}' '${CLI}'`
  const shell = spawn('sh', ['-s'], at(project))
  shell.stdin?.end(
    `while read -r each; do ${holdpoint} -q "look at $each"; done < list.txt\n${holdpoint} -q last\necho over\n`,
  )
  const done = await ended(shell)
  expect(done.stdout.split('\n').filter(line => line !== '')).toEqual(['One.', 'One.', 'One.', 'over'])
  expect(wordsIn(project)).toEqual(['look at a', 'look at b', 'last'])
})

test('more than a megabyte beside a prompt, or what is no UTF-8, is refused before anything runs', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const most = 'x'.repeat(1024 * 1024)
  const large = await project.run(['-o', 'json', 'go'], { stdin: `${most}x` })
  expect(large).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'message_too_large' } } })
  const bytes = await project.run(['-o', 'json', 'go'], { stdin: Uint8Array.of(0x66, 0xff, 0xfe) })
  expect(bytes).toMatchObject({ exit: 2, json: { error: { code: 'unreadable_file' } } })
  expect(project.exists('.holdpoint')).toBe(false)
  expect((await project.run(['go'], { stdin: most })).exit).toBe(0)
  expect(wordsIn(project)).toEqual([`go\n\nStandard input:\n${most}`])
})

function at(project: Project): SpawnOptionsWithoutStdio {
  return { cwd: project.directory, env: { ...project.environment } }
}
