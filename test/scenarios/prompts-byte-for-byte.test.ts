import { expect, test } from 'vitest'
import { aProject, type Finished, type Project } from './project.ts'

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

async function promptOf(project: Project, { exit, json }: Finished): Promise<string> {
  expect(exit).toBe(0)
  const [first] = await project.messages(json.session_id)
  expect(first).toMatchObject({ role: 'user' })
  return first.content
}

test.for(TEXTS)('a prompt of %s arrives byte for byte behind --', async ([, text]) => {
  await using project = await aProject({ script: ['Done.'] })
  expect(await promptOf(project, await project.holdpoint('-o', 'json', '--', text))).toBe(text)
  expect(project.exists('pwned')).toBe(false)
})

test.for(TEXTS)('a prompt of %s arrives byte for byte from stdin and from a file', async ([, text]) => {
  await using project = await aProject({ script: ['Done.'], files: { 'prompt.txt': text } })
  expect(await promptOf(project, await project.run(['-o', 'json', '-'], { stdin: text }))).toBe(text)
  expect(await promptOf(project, await project.holdpoint('-o', 'json', '--prompt-file', 'prompt.txt'))).toBe(text)
})

test.for(TEXTS)('an answer of %s arrives byte for byte', async ([, text]) => {
  const asks = ['tc_1', 'tc_2'].map(id => ({ id, name: 'ask_human', args: { question: 'What?' } }))
  const [one, two] = asks.map(call => ({ calls: [call] }))
  await using project = await aProject({ script: [one, two, 'Shall I?', 'Done.'] })
  const first = await project.holdpoint('--pause-on', 'question', '-o', 'json', 'go')
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '-o', 'json', '--answer', `tc_1=${text}`)
  const third = await project.run(['-c', second.json.checkpoint_id, '--pause-on-approval', '-o', 'json', '-'], {
    stdin: text,
  })
  const done = await project.holdpoint('-c', third.json.checkpoint_id, '-o', 'json', '--', text)
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
  const messages = await project.messages(done.json.session_id)
  expect([messages[2].content, messages[4].content, messages[6].content]).toEqual([text, text, text])
})

test('a prompt may be given as several words', async () => {
  await using project = await aProject({ script: ['Done.'] })
  expect(await promptOf(project, await project.holdpoint('-o', 'json', 'fix', 'the  build', 'now'))).toBe(
    'fix the  build now',
  )
})

test('a prompt of a megabyte arrives from stdin', async () => {
  await using project = await aProject({ script: ['Done.'] })
  const text = 'zeile €\n'.repeat(120_000)
  expect(await promptOf(project, await project.run(['-o', 'json', '-'], { stdin: text }))).toBe(text)
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
