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

const [generation, root = resolve(import.meta.dirname, '..')] = process.argv.slice(2)
if (!generation || !/^\d+-[\w-]+$/.test(generation)) throw new Error('Name the generation, as in 2-side-by-side.')

const CORPUS = resolve(import.meta.dirname, '../test/journals', generation)
const CLI = resolve(root, 'dist/cli/bin.js')
/** Stories over the library; an older build has none. */
const DRIVER = resolve(root, 'test/scenarios/lifecycle-stories.mjs')
const PRELOAD = resolve(import.meta.dirname, '../test/scenarios/crash-at-commit.mjs')

/** A story on the command line: each act continues from the newest checkpoint, which `CP` stands for. */
interface Story {
  readonly script: readonly unknown[]
  readonly policy?: unknown
  readonly files?: Readonly<Record<string, string>>
  readonly acts: readonly (readonly string[])[]
}

const command = (id: string, text: string) => ({ id, name: 'run_command', args: { command: text } })
const START = ['-a', '--pause-on-approval', 'go']
const DEPLOY = [
  { text: 'Soon.', calls: [command('tc_1', 'echo applied')], usage: { input: 10, output: 5 } },
  { text: 'Done.', usage: { input: 20, output: 2 } },
]
const BATCH = [{ calls: [command('a', 'echo one'), command('b', 'echo two'), command('c', 'echo three')] }, 'Done.']
const QUESTION = [
  {
    calls: [
      { id: 'q', name: 'ask_human', args: { question: 'Red or blue?', choices: ['red', 'blue'] } },
      command('tc_1', 'echo applied'),
    ],
  },
  'Done.',
]
/** Kills the process that runs it. */
const DIES = [{ calls: [command('tc_1', 'kill -9 $PPID'), command('tc_2', 'echo second')] }, 'Done.']
const AUTO = { default: 'auto' }

const STORIES: Readonly<Record<string, Story>> = {
  'waits for an approval': { script: DEPLOY, acts: [START] },
  approved: { script: DEPLOY, acts: [START, ['-c', 'CP', '--approve', 'tc_1']] },
  'rejected, and not asked again': {
    script: [...DEPLOY.slice(0, 1), { calls: [command('tc_2', 'echo applied')] }, 'Then not.'],
    acts: [START, ['-c', 'CP', '--reject', 'tc_1', '--reason', 'not on a Friday']],
  },
  'a batch with a rejection': {
    script: BATCH,
    acts: [START, ['-c', 'CP', '--approve', 'a', '--reject', 'b', '--approve', 'c']],
  },
  'a batch of which one call needs nobody': {
    script: BATCH,
    policy: { default: 'auto', rules: [{ tool: 'run_command', match: { command: '*two*' }, policy: 'prompt' }] },
    acts: [START],
  },
  edited: { script: DEPLOY, acts: [START, ['-c', 'CP', '--edit', 'tc_1={"command":"echo edited"}']] },
  'a question that waits': { script: QUESTION, policy: AUTO, acts: [START] },
  'a question, answered': { script: QUESTION, policy: AUTO, acts: [START, ['-c', 'CP', '--answer', 'q=blue']] },
  'a text pause': { script: ['Shall I?', ...DEPLOY], acts: [START] },
  'a text pause, answered, and finished': {
    script: ['Shall I?', 'It is done.'],
    acts: [START, ['-c', 'CP', '--pause-on', 'input', 'yes, proceed'], ['-c', 'CP', '--finish']],
  },
  'killed while a call ran': { script: DIES, acts: [START, ['-c', 'CP', '--approve-all']] },
  'in doubt': { script: DIES, acts: [START, ['-c', 'CP', '--approve-all'], ['-c', 'CP']] },
  'in doubt, and it happened': {
    script: DIES,
    acts: [START, ['-c', 'CP', '--approve-all'], ['-c', 'CP'], ['-c', 'CP', '--answer', 'tc_1={"exit_code":0}']],
  },
  'a fork that waits': { script: DEPLOY, acts: [START, ['-c', 'CP', '--fork']] },
  'two runs on one thread': {
    script: ['Hello.', ...DEPLOY],
    acts: [
      ['-a', 'go'],
      ['-c', 'CP', '--pause-on-approval', 'more'],
      ['-c', 'CP', '--approve', 'tc_1'],
    ],
  },
  'a model that fails': {
    script: [...DEPLOY.slice(0, 1), { error: { message: 'out of order' } }],
    policy: AUTO,
    acts: [['-a', 'go']],
  },
  'stopped by a limit': { script: DEPLOY, policy: AUTO, acts: [['-a', '--max-steps', '1', 'go']] },
  'other tools on resume': { script: BATCH, acts: [START, ['-c', 'CP', '-t', 'read_file']] },
  interrupted: {
    script: [{ calls: [command('tc_1', 'kill -TERM $PPID; sleep 5')] }, 'Done.'],
    policy: AUTO,
    acts: [['-a', 'go']],
  },
  'a file, written': {
    script: [{ calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'kept.txt', content: 'gold' } }] }, 'Done.'],
    acts: [START, ['-c', 'CP', '--approve', 'tc_1']],
  },
  'arguments that are not JSON, and an unknown tool': {
    script: [
      {
        calls: [
          { id: 'x', name: 'run_command', raw_args: '{broken' },
          { id: 'y', name: 'no_such_tool' },
        ],
      },
      'Sorry.',
    ],
    policy: AUTO,
    acts: [['-a', 'go']],
  },
}

/** Stories over the library that end half-way, where a process was killed. */
const CUT: Readonly<Record<string, string>> = {
  'three calls side by side': 'after:append(call.finished)',
  'a call that is approved while three others run': 'after:decide(hold.decided)',
  'suspend, then be told the decision': 'after:append(hold.opened, call.started)',
  'a message that is queued while it waits': 'after:request(message.queued)',
  'a message that supersedes what waits': 'after:request(hold.withdrawn, message.queued)',
  'cancel of a waiting run': 'after:request(hold.withdrawn, cancel.requested)',
  'a tool that changes after it was approved': 'after:append(hold.opened)',
  'a plugin that counts': 'after:append(plugin.set, phase.passed, checkpoint.named)',
}

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

function playStory(directory: string, { script, policy, files = {}, acts }: Story): string {
  const project = {
    ...files,
    'script.json': JSON.stringify(script),
    ...(policy ? { '.holdpoint/policy.json': JSON.stringify(policy) } : {}),
  }
  for (const [name, text] of Object.entries(project)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  let checkpoint = ''
  for (const act of acts) {
    const { stdout } = holdpoint(directory, [...act.map(word => (word === 'CP' ? checkpoint : word)), '-o', 'json'])
    // A process that was killed said nothing.
    if (stdout !== '') checkpoint = JSON.parse(stdout).checkpoint_id ?? checkpoint
  }
  return join(directory, '.holdpoint/holdpoint.db')
}

function holdpoint(directory: string, args: readonly string[]): { readonly stdout: string } {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    HOLDPOINT_ACTOR: 'ana',
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
  }
}
