/**
 * Plays the snippets of a page in an empty directory, in order, as a reader who follows it: files are saved, and commands
 * are run in one shell that finds the built command line.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { patienceMs } from '../patience.ts'
import { installCommand } from '../scenarios/project.ts'
import { type Bound, differenceOf, withBound } from './expected-output.ts'
import { PageShell } from './page-shell.ts'
import type { Snippet } from './snippets.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** An empty directory `home/app` of a reader who has installed Holdpoint, and what its processes are started with. */
export function readerDirectory(root: string): { directory: string; env: Record<string, string> } {
  const [bin, directory, modules] = [join(root, 'bin'), join(root, 'app'), join(root, 'node_modules')]
  for (const path of [bin, directory]) mkdirSync(path, { recursive: true })
  for (const name of ['zod', 'vitest', 'ajv', '@types/node', '@ai-sdk/provider', '@langchain/langgraph']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  symlinkSync(ROOT, join(modules, 'holdpoint'))
  symlinkSync(process.execPath, join(bin, 'node'))
  installCommand(bin)
  const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: root, HOLDPOINT_ACTOR: 'ana', LANG: 'C.UTF-8' }
  return { directory, env }
}

/** @throws Error with the page and the line of the first snippet that does not do what the page says */
export async function playPage(snippets: readonly Snippet[], root: string): Promise<void> {
  const { directory, env } = readerDirectory(root)
  // The pages name the examples of the repository.
  symlinkSync(join(ROOT, 'examples'), join(directory, 'examples'))
  using shell = new PageShell(directory, env)
  const page: Page = { directory, shell, bound: new Map() }
  for (const snippet of snippets) if (snippet.notRun === null) await playSnippet(snippet, page)
}

/** A page as it is played. */
interface Page {
  readonly directory: string
  readonly shell: PageShell
  readonly bound: Bound
}

async function playSnippet(snippet: Snippet, { directory, shell, bound }: Page): Promise<void> {
  const file = fileOf(snippet)
  if (file !== null) save(join(directory, file), snippet.text)
  if (snippet.language === 'sh' && file === null) await playCommands(snippet, shell)
  if (snippet.language === 'console') await playConsole(snippet, shell, bound)
  if (file !== null && snippet.saveAs === null) await play(`node ${file}`, snippet, shell)
  if (snippet.info !== 'front matter') return
  save(join(directory, 'front-matter.md'), `---\n${snippet.text}\n---\n\nWork.\n`)
  await play('holdpoint policy check --agent ./front-matter.md true', snippet, shell)
}

/** The file of a snippet: the one that its page names, or one of its own if it is a module. */
export function fileOf({ saveAs, language, line }: Snippet): string | null {
  if (saveAs !== null) return saveAs
  return language === 'ts' || language === 'js' ? `snippet-${line}.m${language}` : null
}

function save(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${text}\n`)
}

/** Each command must end with 0, or as its comment says: `# exit 10`. */
async function playCommands(snippet: Snippet, shell: PageShell): Promise<void> {
  for (const command of commandsIn(snippet)) await play(command, snippet, shell)
}

async function play(command: string, snippet: Snippet, shell: PageShell): Promise<void> {
  const exit = Number(/# exit (\d+)/.exec(command)?.[1] ?? 0)
  const meant = await withNewest(command, shell)
  const finished = await shell.run(meant)
  if (finished.exit !== exit)
    throw new Error(`${snippet.place}: \`${meant}\` ended with ${finished.exit}, not ${exit}:\n${finished.output}`)
}

/** A script, cut into the shortest texts that a shell can read. */
export function commandsIn({ text, place }: Snippet): string[] {
  const commands: string[] = []
  let begun = ''
  for (const line of text.split('\n')) {
    begun = begun === '' ? line : `${begun}\n${line}`
    if (begun.trim() === '' || !isWhole(begun)) continue
    commands.push(begun)
    begun = ''
  }
  if (begun.trim() !== '') throw new Error(`${place}: bash cannot read this:\n${begun}`)
  return commands
}

function isWhole(script: string): boolean {
  return !script.endsWith('\\') && spawnSync('bash', ['-n'], { input: script }).status === 0
}

/** `$ ` begins a command; the lines up to the next one are what it prints. */
async function playConsole(snippet: Snippet, shell: PageShell, bound: Bound): Promise<void> {
  for (const { command, expected } of exchangesIn(snippet)) {
    const meant = await withNewest(withBound(command, bound), shell)
    const difference = await printed(meant, expected, shell, bound)
    if (difference !== null) throw new Error(`${snippet.place}: \`${command}\`\n${difference}`)
  }
}

/** A command with the comment "after a moment" is repeated until it prints what is expected. */
async function printed(command: string, expected: string, shell: PageShell, bound: Bound): Promise<string | null> {
  const deadline = Date.now() + (command.includes('# after a moment') ? patienceMs() : 0)
  for (;;) {
    const { output } = await shell.run(command)
    const difference = differenceOf(expected, output, bound)
    if (difference === null || Date.now() >= deadline) return difference
    await setTimeout(200)
  }
}

export function exchangesIn({ text, place }: Snippet): { command: string; expected: string }[] {
  const [before, ...exchanges] = `\n${text}`.split(/\n\$ /)
  if (before?.trim()) throw new Error(`${place}: a console begins with a command, as "$ holdpoint runs"`)
  return exchanges.map(exchange => {
    const [command = '', ...expected] = exchange.split('\n')
    return { command, expected: expected.join('\n').trimEnd() }
  })
}

/** How to find what a word in capitals stands for: the newest of its kind. */
const NEWEST: Readonly<Record<string, readonly [command: string, keys: readonly string[]]>> = {
  HOLD: ['holds', ['hold_id', 'id']],
  RUN: ['runs', ['run_id']],
  SESSION: ['runs', ['session_id', 'thread_id']],
  CHECKPOINT: ['runs', ['checkpoint_id']],
  TASK: ['tasks', ['task_id', 'id']],
}

async function withNewest(command: string, shell: PageShell): Promise<string> {
  let meant = command
  for (const [word, [list, keys]] of Object.entries(NEWEST)) {
    const place = new RegExp(`(?<![-\\w])${word}\\b(?![…=])`, 'g')
    if (!place.test(command.replace(/\s#.*/, ''))) continue
    const { output } = await shell.run(`holdpoint ${list} --json`)
    const rows = rowsOf(output)
    const row = rows[list === 'holds' ? rows.length - 1 : 0]
    const id = keys.map(key => row?.[key]).find(value => value !== undefined)
    if (id === undefined) throw new Error(`\`${command}\`: there is no ${word}: ${output}`)
    meant = meant.replaceAll(place, String(id))
  }
  return meant
}

function rowsOf(output: string): Record<string, unknown>[] {
  const document = JSON.parse(output) as Record<string, unknown>[] | Record<string, Record<string, unknown>[]>
  return Array.isArray(document) ? document : (Object.values(document).find(Array.isArray) ?? [])
}
