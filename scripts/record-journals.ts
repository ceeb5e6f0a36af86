/**
 * Adds journals to the corpus: `node scripts/record-journals.ts GENERATION [ROOT]` plays its stories with the build of
 * ROOT (default: this one) and writes what is not in `test/journals/GENERATION` yet. See test/journals/README.md.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CUT, PATIENT, STORIES, type Story } from './journal-stories.ts'

const [generation, root = resolve(import.meta.dirname, '..')] = process.argv.slice(2)
if (!generation || !/^\d+-[\w-]+$/.test(generation)) throw new Error('Name the generation, as in 2-side-by-side.')

const CORPUS = resolve(import.meta.dirname, '../test/journals', generation)
const CLI = resolve(root, 'dist/cli/bin.js')
/** Stories over the library; an older build has none. */
const DRIVER = resolve(root, 'test/scenarios/lifecycle-stories.mjs')
/** Stories of messages made of parts; only builds that know them can play these. */
const PARTS = resolve(import.meta.dirname, 'parts-story.mjs')
const PRELOAD = resolve(import.meta.dirname, '../test/scenarios/crash-at-commit.mjs')

mkdirSync(CORPUS, { recursive: true })
for (const [title, story] of Object.entries(STORIES)) {
  await record(title, directory => playStory(directory, story), story)
}
if (existsSync(DRIVER)) {
  const titles: { title: string }[] = JSON.parse(
    execFileSync(process.execPath, [DRIVER, '--list'], { encoding: 'utf8' }),
  )
  for (const { title } of titles) await record(`over the library, ${title}`, directory => playOver(title, directory))
  for (const [title, at] of Object.entries(CUT)) {
    await record(`over the library, ${title}, cut off`, directory => playOver(title, directory, at))
  }
}

if (Number.parseInt(generation, 10) >= 4) {
  for (const title of JSON.parse(execFileSync(process.execPath, [PARTS, root], { encoding: 'utf8' }))) {
    await record(`over the library, ${title}`, directory => playParts(title, directory))
  }
}

async function record(title: string, play: (directory: string) => string, story: Story | null = null): Promise<void> {
  const path = join(CORPUS, title.replace(/[^a-z0-9]+/gi, '-').toLowerCase())
  if (existsSync(`${path}.jsonl`)) return
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-journal-'))
  try {
    const store = play(directory)
    // What that build itself makes of it.
    const runs = await toldOf(store)
    const { events, ...rows } = rowsOf(store)
    const here = (value: unknown) => JSON.stringify(value).replaceAll(directory, '/project')
    writeFileSync(`${path}.jsonl`, events.map(event => `${here(event)}\n`).join(''))
    writeFileSync(`${path}.json`, `${here({ title, story, runs, rows })}\n`)
    console.log(`${generation}/${basename(path)}: ${events.length} events`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function playStory(directory: string, { script, policy, config = PATIENT, files = {}, acts }: Story): string {
  const project = {
    ...files,
    'script.json': JSON.stringify(script),
    '.holdpoint/config.json': JSON.stringify(config),
    ...(policy ? { '.holdpoint/policy.json': JSON.stringify(policy) } : {}),
  }
  for (const [name, text] of Object.entries(project)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  let checkpoint = ''
  for (const act of acts) {
    const { actor, words } = readAct(act, { checkpoint, directory })
    const { stdout } = holdpoint(directory, [...words, '-o', 'json'], actor)
    // A process that was killed said nothing; a worker says what happens line by line.
    if (stdout !== '' && words[0] !== 'work') checkpoint = JSON.parse(stdout).checkpoint_id ?? checkpoint
  }
  return join(directory, '.holdpoint/holdpoint.db')
}

function readAct(
  act: readonly string[],
  { checkpoint, directory }: { readonly checkpoint: string; readonly directory: string },
): { readonly actor: string; readonly words: readonly string[] } {
  const [actor, said] = act[0]?.startsWith('@') ? [act[0].slice(1), act.slice(1)] : ['ana', act]
  const hold = said.includes('HOLD') ? openHold(directory) : ''
  return { actor, words: said.map(word => ({ CP: checkpoint, HOLD: hold })[word] ?? word) }
}

function openHold(directory: string): string {
  const [hold] = JSON.parse(holdpoint(directory, ['holds', '--json']).stdout)
  return hold.id
}

function holdpoint(directory: string, args: readonly string[], actor = 'ana'): { readonly stdout: string } {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    HOLDPOINT_ACTOR: actor,
    HOLDPOINT_MODEL: 'script:script.json',
  }
  return spawnSync(process.execPath, [CLI, ...args], { cwd: directory, env, encoding: 'utf8' })
}

function playOver(title: string, directory: string, at = ''): string {
  const env = { PATH: process.env['PATH'] ?? '', CRASH_AT: at }
  const args = at === '' ? [DRIVER] : ['--import', PRELOAD, DRIVER]
  const play = () => spawnSync(process.execPath, [...args, title, directory], { env, encoding: 'utf8' })
  const { signal, stderr } = play()
  if (stderr !== '' || (at !== '' && signal !== 'SIGKILL')) throw new Error(`${title}: ${signal} ${stderr}`)
  // The first process of some stories dies by itself.
  if (at === '' && signal === 'SIGKILL') play()
  return join(directory, 'store.db')
}

function playParts(title: string, directory: string): string {
  execFileSync(process.execPath, [PARTS, root, title, directory])
  return join(directory, 'store.db')
}

interface Told {
  readonly id: string
}

async function toldOf(store: string): Promise<unknown[]> {
  const { openHoldpoint } = await import(pathToFileURL(resolve(root, 'dist/index.js')).href)
  await using opened = await openHoldpoint({ store: `sqlite:${store}` })
  const runs: Told[] = await opened.runs()
  return await Promise.all(
    runs.toReversed().map(async ({ id }) => {
      const { thread_id, status, termination, checkpoint_id, holds, messages, steps, usage } = await opened.run(id)
      return { id, thread_id, status, termination, checkpoint_id, holds, messages, steps, usage }
    }),
  )
}

function rowsOf(store: string) {
  using database = new DatabaseSync(store, { readOnly: true })
  const all = (sql: string) => database.prepare(sql).all()
  const tables = new Set(all(`SELECT name FROM sqlite_schema WHERE type = 'table'`).map(({ name }) => name))
  return {
    events: all(
      'SELECT t.id AS thread_id, place % 4194304 AS seq, at, run_id, kind, data FROM events JOIN threads t ON t.number = place / 4194304 ORDER BY place',
    ).map(({ data, at, ...event }) => ({
      ...event,
      at: new Date(Number(at)).toISOString(),
      data: JSON.parse(String(data)),
    })),
    threads: all('SELECT * FROM threads ORDER BY number'),
    runs: all('SELECT * FROM runs ORDER BY number'),
    holds: all('SELECT * FROM holds ORDER BY number'),
    grants: all('SELECT * FROM grants ORDER BY number'),
    ...(tables.has('inputs') && { inputs: all('SELECT * FROM inputs ORDER BY thread, input_id') }),
  }
}
