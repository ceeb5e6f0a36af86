import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../open-database.ts'
import { CLI, ended, type Finished } from '../scenarios/project.ts'

const effect = (id: string, label: string, seconds = 0) => ({
  id,
  name: 'run_command',
  args: { command: `./effect.sh ${label} ${seconds}` },
})
const call = (id: string, name: string, args: Record<string, unknown>) => ({ id, name, args })

/** The turns of the scripted models. Labels tell whether a call is gated: `g…` needs an approval, `f…` needs none. */
const SCRIPTS: Readonly<Record<string, readonly unknown[]>> = {
  gated: [
    { text: 'Two.', calls: [effect('c1', 'g1'), effect('c2', 'g2', 0.3)] },
    { text: 'One more.', calls: [effect('c3', 'g3')] },
    'Done.',
  ],
  free: [
    { calls: [effect('c1', 'f1', 0.2), effect('c2', 'f2')] },
    { calls: [effect('c3', 'f3', 0.5)] },
    { calls: [effect('c4', 'f4')] },
    'Done.',
  ],
  asking: [
    { text: 'I ask.', calls: [call('q1', 'ask_human', { question: 'Which?' }), effect('c1', 'g1')] },
    { calls: [effect('c2', 'g2')] },
    'Done.',
  ],
  child: [{ text: 'Soon.', calls: [effect('c1', 'g1', 0.2)] }, 'Child done.'],
  parent: [
    {
      text: 'I delegate.',
      calls: [
        call('p1', 'subagent_task', { prompt: 'go', model: 'script:child.json', tools: ['run_command'] }),
        effect('c1', 'g1'),
      ],
    },
    {
      text: 'Again.',
      calls: [call('p2', 'subagent_task', { prompt: 'go', model: 'script:child.json', tools: ['run_command'] })],
    },
    'Delegated.',
  ],
  long: [
    ...Array.from({ length: 20 }, (_, at) => ({ text: `Step ${at}.`, calls: [effect(`c${at}`, `f${at}`, 0.1)] })),
    'Done.',
  ],
}

/** The command appends a line outside the store: the key of its call, which names thread and call, the run, and the label. */
const EFFECT =
  '#!/bin/sh\nsleep "$2"\nprintf \'%s %s %s\\n\' "$HOLDPOINT_IDEMPOTENCY_KEY" "$HOLDPOINT_WITHIN" "$1" >> "$CHAOS_EFFECTS"\n'

export interface Effect {
  /** Thread and call. */
  readonly key: string
  readonly run: string
  readonly label: string
}

/** One project with one store, and the command line as its users start it. */
export class Stage {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'holdpoint-chaos-'))
  readonly store: string = join(this.directory, '.holdpoint', 'holdpoint.db')
  readonly #effects: string = join(this.directory, 'effects.log')
  readonly #children = new Set<ChildProcess>()

  constructor() {
    mkdirSync(join(this.directory, '.holdpoint'))
    writeFileSync(
      join(this.directory, '.holdpoint', 'policy.json'),
      '{"tools":{"run_command":"prompt","subagent_task":"auto"}}',
    )
    for (const [name, turns] of Object.entries(SCRIPTS))
      writeFileSync(join(this.directory, `${name}.json`), JSON.stringify(turns))
    writeFileSync(join(this.directory, 'batch.md'), '---\nname: batch\nhold_scope: batch\n---\nWork.\n')
    writeFileSync(join(this.directory, 'effect.sh'), EFFECT)
    chmodSync(join(this.directory, 'effect.sh'), 0o755)
  }

  /** Processes that this one started itself and that have not ended. */
  get busy(): number {
    return this.#children.size
  }

  /** Starts `holdpoint ...words`, on the store, as `actor`. */
  async holdpoint(
    words: readonly string[],
    actor: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Finished> {
    const child = spawn(process.execPath, [CLI, ...words, '--store', `sqlite:${this.store}`], {
      cwd: this.directory,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.directory,
        CHAOS_EFFECTS: this.#effects,
        HOLDPOINT_ACTOR: actor,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    try {
      return await ended(child)
    } finally {
      this.#children.delete(child)
    }
  }

  effects(): Effect[] {
    if (!existsSync(this.#effects)) return []
    const lines = readFileSync(this.#effects, 'utf8').split('\n').slice(0, -1)
    return lines.map(line => {
      const [key = '', within = '', label = ''] = line.split(' ')
      return { key, run: within.slice(within.lastIndexOf('/') + 1), label }
    })
  }

  /** Rows as they stand; none before there is a store. */
  rows<T>(sql: string, ...values: string[]): T[] {
    if (!existsSync(this.store)) return []
    using database = openDatabase(this.store, { readOnly: true })
    const tables = database.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name = 'tasks'").get()
    return tables?.['count'] === 0 ? [] : (database.prepare(sql).all(...values) as T[])
  }
}
