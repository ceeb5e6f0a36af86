/**
 * Finds the agent in whose command a process runs (P1). The environment of a process is what its parent gave it, so
 * the ancestors count too. If that cannot be known, the process is taken for a command of an agent: it decides
 * nothing. A process that leaves its session and outlives its parents is not found.
 */
import { readFileSync, readlinkSync, statfsSync } from 'node:fs'
import { asAgentActor, UNSEEN_AGENT } from '../../../core/people/agent-actor.ts'
import type { PlaceName } from '../../../core/people/trusted-place.ts'
import { areNotesHidden, commandsElsewhere, hasNotes, type NotedProcess, notedActor } from './command-notes.ts'
import { placeHere } from './namespaces.ts'
import { type ProcessStat, processStat } from './process-stat.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A command is marked, and the name of its agent is gone. */
const UNNAMED = 'unknown'

/** Whether a process runs in a command of an agent. */
export interface Standing {
  /** `agent:NAME/RUN`, or `agent:unseen` if that cannot be known; `null` if it does not. */
  readonly agent: string | null
  /** Why it cannot be known, in words. */
  readonly unseen: string | null
  /** The place of the process, if that alone is the reason. */
  readonly elsewhere?: PlaceName
}

let found: Standing | undefined

/**
 * `agent:NAME/RUN`; `null` if this process runs in no command of an agent. `env` counts in addition to the ancestors.
 */
export function agentAround(env: Environment): string | null {
  return standingHere(env).agent
}

/** The result of `agentAround`, with the reason if it cannot be known. */
export function standingHere(env: Environment): Standing {
  found ??= lookAround()
  if (found.agent !== null) return found
  const name = agentIn(variable => env[variable])
  return name === null ? OUTSIDE : within(name)
}

const OUTSIDE: Standing = { agent: null, unseen: null }

function within(name: string): Standing {
  return { agent: asAgentActor(name), unseen: null }
}

function unseen(why: string): Standing {
  return { agent: UNSEEN_AGENT, unseen: why }
}

/** A person trusts the place of this process, whichever processes run in other places. */
export function markTrusted(): void {
  if (found?.elsewhere) found = OUTSIDE
}

/** From here on this process is in a place that the store does not trust. */
export function markElsewhere(place: PlaceName): void {
  found = { ...unseen('its container or sandbox is not one from which people decide here'), elsewhere: place }
}

function lookAround(): Standing {
  if (process.platform !== 'linux') return standingIn({ processes: lineageByPs(), isWhole: true })
  const trouble = troubleWithProc()
  return trouble === null ? standingOf(process.pid) : unseen(trouble)
}

/** Checks whether a process of this machine runs in a command of an agent. Call it only if `/proc` is true. */
export function standingOf(pid: number): Standing {
  return standingIn(lineageOf(pid))
}

/** The nearest note first: the environment of a command is in its own hands. */
function standingIn({ processes, isWhole }: Lineage): Standing {
  const name = notedActor(processes) ?? firstAgentOf(processes)
  if (name !== null) return within(name || UNNAMED)
  if (!isWhole) return unseen('a process that started it cannot be read in /proc')
  const place = commandsElsewhere() ? placeHere() : null
  if (place !== null)
    return { ...unseen('a command of an agent runs in another namespace of process ids'), elsewhere: place }
  return areNotesHidden() ? unseen('the notes of the commands of agents cannot be read') : OUTSIDE
}

function firstAgentOf(processes: readonly NotedProcess[]): string | null {
  for (const { pid } of processes) {
    const name = agentOf(pid)
    if (name !== null) return name
  }
  return null
}

/**
 * The agent in the environment with which the process began its program: variables that it unset since are present.
 */
function agentOf(pid: number): string | null {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return agentIn(name => entries.find(entry => entry.startsWith(`${name}=`))?.slice(name.length + 1))
  } catch {
    // The process belongs to another user, or is gone.
    return null
  }
}

function agentIn(value: (name: string) => string | undefined): string | null {
  return value('HOLDPOINT_WITHIN') || (value('HOLDPOINT_COMMAND_IDS') ? UNNAMED : null)
}

/** Process trees are a few levels deep; a longer way up would be a loop. */
const MOST_LEVELS = 100

/** This process and its ancestors. A `ps` costs time, so none is started unless an agent's command runs on this machine. */
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

/** A process, its ancestors and the leaders of their sessions. */
interface Lineage {
  /** The nearest first. */
  readonly processes: readonly NotedProcess[]
  /** False if an ancestor cannot be read: what started the process is not known. */
  readonly isWhole: boolean
}

/** An ancestor may end while it is read; then the next look finds who took its children over. */
const LOOKS = 3

function lineageOf(pid: number): Lineage {
  let found = lookUp(pid)
  for (let look = 1; look < LOOKS && !found.isWhole; look++) found = lookUp(pid)
  return found
}

/** Each once: most ancestors share the leader of their session. */
function lookUp(pid: number): Lineage {
  const known = new Map<number, ProcessStat | null>()
  const look = (id: number): ProcessStat | null => {
    if (id > 0 && !known.has(id)) known.set(id, processStat(id))
    return known.get(id) ?? null
  }
  let there = look(pid)
  let isWhole = false
  for (let level = 0; level < MOST_LEVELS && there !== null; level++) {
    // The parent may be gone while the leader of its session still runs.
    look(there.session)
    isWhole = there.parent === 0
    there = look(there.parent)
  }
  const processes = [...known].flatMap(([id, stat]) => (stat === null ? [] : [{ pid: id, ...stat }]))
  return { processes, isWhole }
}

/** The id of the file system that the kernel makes. */
const PROC_MAGIC = 0x9fa0
/** A mount there shows one process as another. */
const COVERED = /^\S+ \S+ \S+ \S+ \/proc\/(\d+|self|thread-self)(\/\S*)? /m

/** Why `/proc` is not true about this process, in words; `null` if it is. */
function troubleWithProc(): string | null {
  try {
    if (statfsSync('/proc').type !== PROC_MAGIC) return '/proc is not that of the kernel'
    if (readlinkSync('/proc/self') !== String(process.pid)) return '/proc shows the processes of another namespace'
    return COVERED.test(readFileSync('/proc/self/mountinfo', 'latin1')) ? 'a mount covers a process in /proc' : null
  } catch {
    return '/proc cannot be read'
  }
}
