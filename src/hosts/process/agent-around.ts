/**
 * Finds the agent in whose command this process runs (P1). The environment of a process is what its parent gave it, so
 * the ancestors count too. A process that leaves its session and outlives its parents is not found.
 */
import { readFileSync } from 'node:fs'
import { asAgentActor } from '../../core/people/agent-actor.ts'
import { hasNotes, type NotedProcess, notedActor } from './command-notes.ts'
import { type ProcessStat, processStat } from './process-stat.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Process trees are a few levels deep; a longer way up would be a loop. */
const MOST_LEVELS = 100
/** A command is marked, and the name of its agent is gone. */
const UNNAMED = 'unknown'

let found: string | null | undefined

/** `agent:NAME/RUN`; `null` if this process runs in no command of an agent. `env` counts beside the ancestors. */
export function agentAround(env: Environment): string | null {
  if (found === undefined) found = lookAround()
  const name = found ?? agentIn(name => env[name])
  return name === null ? null : asAgentActor(name)
}

/** The nearest note first: the environment of a command is in its own hands. */
function lookAround(): string | null {
  const line = lineage()
  const noted = hasNotes() ? line.map(notedActor).find(actor => actor !== null) : null
  return noted ?? line.map(({ pid }) => agentOf(pid)).find(actor => actor !== null) ?? null
}

/** This process, its ancestors and the leaders of their sessions, the nearest first. */
function lineage(): readonly NotedProcess[] {
  const found = lineageByProc()
  return found.length > 0 ? found : lineageByPs()
}

/** Each once: most ancestors share the leader of their session. */
function lineageByProc(): readonly NotedProcess[] {
  const known = new Map<number, ProcessStat | null>()
  const look = (pid: number): ProcessStat | null => {
    if (pid > 0 && !known.has(pid)) known.set(pid, processStat(pid))
    return known.get(pid) ?? null
  }
  let there = look(process.pid)
  for (let level = 0; level < MOST_LEVELS && there !== null; level++) {
    // Its parent may be gone while the leader of its session still runs.
    look(there.session)
    there = look(there.parent)
  }
  return [...known].flatMap(([pid, stat]) => (stat === null ? [] : [{ pid, ...stat }]))
}

/** A process costs time, so none is started unless an agent's command runs on this machine. */
function lineageByPs(): readonly NotedProcess[] {
  if (!hasNotes()) return []
  const parents = parentsByPs()
  const line: NotedProcess[] = []
  let pid: number | undefined = process.pid
  while (pid !== undefined && pid > 0 && line.length < MOST_LEVELS) {
    const parent: number = parents.get(pid) ?? 0
    line.push({ pid, parent, started: null })
    pid = parent
  }
  return line
}

function parentsByPs(): ReadonlyMap<number, number> {
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const listed = execFileSync('/bin/ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' })
    const rows = listed.split('\n').map(line => line.trim().split(/\s+/).map(Number))
    return new Map(rows.map(([pid = 0, parent = 0]) => [pid, parent]))
  } catch {
    return new Map()
  }
}

/** As it was when the process began its program: nothing that it unset since is missing. */
function agentOf(pid: number): string | null {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return agentIn(name => entries.find(entry => entry.startsWith(`${name}=`))?.slice(name.length + 1))
  } catch {
    // Of another user, or gone.
    return null
  }
}

function agentIn(value: (name: string) => string | undefined): string | null {
  return value('HOLDPOINT_WITHIN') || (value('HOLDPOINT_COMMAND_IDS') ? UNNAMED : null)
}
