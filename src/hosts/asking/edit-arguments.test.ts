import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type EditOptions, editArguments } from './edit-arguments.ts'

let place: string
let temporary: string | undefined

/** Files for editing are made below a directory of this test, so that it can be seen what is left. */
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'holdpoint-editor-'))
  await mkdir(join(place, 'tmp'))
  temporary = process.env['TMPDIR']
  process.env['TMPDIR'] = join(place, 'tmp')
})
afterEach(async () => {
  if (temporary === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = temporary
  await rm(place, { recursive: true, force: true, maxRetries: 10 })
})

/** A script that edits the file that is its last argument. */
async function anEditor(script: string): Promise<string> {
  const path = join(place, 'my editor.sh')
  await writeFile(path, `#!/bin/sh\nfor file; do :; done\n${script}\n`, { mode: 0o700 })
  return `'${path}'`
}

function options(editor: string, askAgain: EditOptions['askAgain'] = null): EditOptions {
  return { env: { PATH: process.env['PATH'], PLACE: place, EDITOR: editor }, askAgain }
}

async function leftBehind(): Promise<string[]> {
  return readdir(join(place, 'tmp'))
}

test('what somebody made of the arguments is given back, and nothing is left behind', async () => {
  const editor = await anEditor(`sed 's/one/two/' "$file" > "$PLACE/new" && touch "$file~" && cp "$PLACE/new" "$file"`)
  expect(await editArguments({ command: 'echo one', dry: true }, options(editor))).toEqual({
    command: 'echo two',
    dry: true,
  })
  expect(await leftBehind()).toEqual([])
})

test('only its owner can read what is edited, and it is named as JSON', async () => {
  const editor = await anEditor(
    `stat -c '%a' "$file" "$(dirname "$file")" > "$PLACE/modes"; echo "$file" > "$PLACE/name"`,
  )
  await editArguments({ a: 1 }, options(editor))
  expect(await readFile(join(place, 'modes'), 'utf8')).toBe('600\n700\n')
  expect(await readFile(join(place, 'name'), 'utf8')).toMatch(/\.json\n$/)
})

test('P9: what the arguments hide is shown in the editor, and stays what it is', async () => {
  const args = { command: 'echo a\u202eb\u200b\u001b[2K' }
  const editor = await anEditor(`cp "$file" "$PLACE/shown"; printf '\\n' >> "$file"`)
  expect(await editArguments(args, options(editor))).toBeNull()
  const shown = await readFile(join(place, 'shown'), 'utf8')
  expect(shown).toBe('{\n  "command": "echo a\\u202eb\\u200b\\u001b[2K"\n}\n')
})

test.each([
  ['left as they were', ':'],
  ['only written in another way', `printf '{"b":2,"a":1}' > "$file"`],
  ['emptied', ': > "$file"'],
  ['left blank', `printf ' \\n\\n' > "$file"`],
])('arguments that are %s are nothing to record', async (_what, script) => {
  expect(await editArguments({ a: 1, b: 2 }, options(await anEditor(script)))).toBeNull()
})

test.each([
  ['broken', `printf '{\\n  "a": 1,\\n  b: 2\\n}' > "$file"`, /in line 3, column 3/],
  ['cut off', `printf '{ "a": 1' > "$file"`, /in line 1, column 9/],
  ['commented', `printf '{\\n// why\\n"a": 1 }' > "$file"`, /in line 2, column 1/],
  ['a list', `printf '[1]' > "$file"`, /must be a JSON object/],
])('arguments that are %s are refused where nobody can be asked', async (_what, script, message) => {
  const edited = editArguments({ a: 1 }, options(await anEditor(script)))
  await expect(edited).rejects.toMatchObject({ code: 'invalid_arguments', message: expect.stringMatching(message) })
  expect(await leftBehind()).toEqual([])
})

test('who is asked can edit what they wrote once more', async () => {
  const script = `echo x >> "$PLACE/times"
if [ "$(wc -l < "$PLACE/times")" -eq 1 ]; then printf '{ "a": }' > "$file"; else sed -i 's/: /: 2/' "$file"; fi`
  const asked: string[] = []
  const askAgain = async (problem: string) => asked.push(problem) > 0
  expect(await editArguments({ a: 1 }, options(await anEditor(script), askAgain))).toEqual({ a: 2 })
  expect(asked).toEqual([expect.stringContaining('in line 1')])
})

test('who gives up changes nothing', async () => {
  const editor = await anEditor(`printf '{' > "$file"`)
  expect(
    await editArguments(
      { a: 1 },
      options(editor, async () => false),
    ),
  ).toBeNull()
  expect(await leftBehind()).toEqual([])
})

test('VISUAL comes before EDITOR, and both may hold arguments', async () => {
  const editor = `${await anEditor(`printf '{"arguments":"%s"}' "$1 $2" > "$file"`)} --wait "a b"`
  const env = { ...options('false').env, VISUAL: editor }
  expect(await editArguments({ a: 1 }, { env, askAgain: null })).toEqual({ arguments: '--wait a b' })
})

test('no shell reads the command', async () => {
  const editor = `${await anEditor(':')} ; touch ${join(place, 'owned')}`
  expect(await editArguments({ a: 1 }, options(editor))).toBeNull()
  expect(existsSync(join(place, 'owned'))).toBe(false)
})

test.each([
  ['fails', 'editor_failed', async () => anEditor(`printf '{"a":2}' > "$file"; exit 3`)],
  ['is not there', 'no_editor', async () => join(place, 'nowhere')],
  ['is nothing', 'no_editor', async () => `''`],
  ['cannot be read', 'invalid_command', async () => `vi 'x`],
  ['leaves what is no text', 'unreadable_file', async () => anEditor(`printf '\\377' > "$file"`)],
])('an editor that %s changes nothing, and nothing is left behind', async (_what, code, editor) => {
  await expect(editArguments({ a: 1 }, options(await editor()))).rejects.toMatchObject({ code })
  expect(await leftBehind()).toEqual([])
})

test('where no editor is named it is vi', async () => {
  await writeFile(join(place, 'vi'), `#!/bin/sh\nprintf '{"by":"vi"}' > "$1"\n`, { mode: 0o700 })
  const env = { PATH: `${place}:${process.env['PATH']}`, VISUAL: ' ', EDITOR: '' }
  expect(await editArguments({ a: 1 }, { env, askAgain: null })).toEqual({ by: 'vi' })
})

test.each([
  ['SIGTERM', 2],
  ['SIGINT', 2],
  ['SIGHUP', 129],
] as const)('nothing is left behind by a process that a %s ends while somebody edits', async (signal, exit) => {
  const edit = `import { editArguments } from ${JSON.stringify(join(import.meta.dirname, 'edit-arguments.ts'))}
await editArguments({ a: 1 }, { env: process.env, askAgain: null }).catch(({ code }) => { process.exitCode = code === 'editor_failed' ? 2 : 1 })`
  const editor = await anEditor(`echo $$; exec sleep 60`)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', edit], {
    env: { ...options(editor).env, TMPDIR: join(place, 'tmp') },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const [pid] = await once(child.stdout, 'data')
  onTestFinished(() => end(Number(pid)))
  expect(await leftBehind()).toHaveLength(1)
  child.kill(signal)
  expect(await ended).toEqual([exit, null])
  expect(await leftBehind()).toEqual([])
})

/** Where it has not ended with the process that started it. */
function end(pid: number): void {
  try {
    process.kill(pid)
  } catch {
    // It has.
  }
}
