/**
 * Notes of the processes that are commands of agents, one file each. A command can clear its environment and replace
 * its program; its process id and its start stay.
 * N1  The directory depends on the user alone: no variable of a command leads its processes to another one.
 * N2  Notes narrow what a process may do, so a lost note leaves the environment of its ancestors, and never a failure.
 * N3  A process id means something in one namespace, so a note names it.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { makeDirectories } from '../../../core/make-directories.ts'
import type { NoteCommand } from '../../../ports/process/note-command.ts'
import { namespacesOf } from './namespaces.ts'
import { processStat } from './process-stat.ts'

const OTHERS = 0o077

/**
 * A process as its note names it. If start times are unknown, its parent distinguishes it from a later process with
 * this id.
 */
export interface NotedProcess {
  readonly pid: number
  readonly parent: number
  readonly started: string | null
}

/** Notes a command that this process started just now. */
export const noteCommand: NoteCommand = (pid, actor) => {
  const note = { pid, parent: process.pid, started: processStat(pid)?.started ?? null }
  const directory = notesDirectory()
  if (directory === null || !made()) return () => {}
  const path = `${directory}/${nameOf(note)}`
  attempt(() => writeFileSync(path, `${actor}\n${namespacesOf(process.pid)?.pid ?? ''}\n`, { mode: 0o600 }))
  return () => attempt(() => unlinkSync(path))
}

/**
 * The agent whose command the first noted one of these processes is; `null` if no note names one. The starter may be
 * another user: a command may begin with `sudo`. So the notes of each user in the lineage count.
 */
export function notedActor(lineage: readonly NotedProcess[]): string | null {
  const notes = [...usersOf(lineage)].map(directoryOf).flatMap(listed)
  for (const each of lineage) {
    const name = nameOf(each)
    for (const { directory, names } of notes) {
      // A note that is not listed is not there, and to find that out by reading it takes ten times as long.
      const note = names?.includes(name) === false ? null : readNote(`${directory}/${name}`)
      if (note !== null) return note.actor
    }
  }
  return null
}

/** `names`: `null` if the directory cannot be listed. */
function listed(directory: string): { readonly directory: string; readonly names: readonly string[] | null }[] {
  return existsSync(directory) ? [{ directory, names: attempt(() => readdirSync(directory)) }] : []
}

/** True if any command of an agent may run on this machine now. */
export function hasNotes(): boolean {
  return ownNotes().length > 0
}

/** True if the notes are of processes that have other ids here (N3). */
export function commandsElsewhere(): boolean {
  const here = namespacesOf(process.pid)?.pid
  return ownNotes().some(({ namespace }) => namespace !== '' && namespace !== here)
}

/** True if there may be notes that this process cannot read. */
export function areNotesHidden(): boolean {
  const directory = notesDirectory()
  if (directory === null) return false
  try {
    readdirSync(directory)
    return false
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')
  }
}

interface Note {
  readonly actor: string
  /** Empty if it is not known. */
  readonly namespace: string
}

function ownNotes(): readonly Note[] {
  const directory = notesDirectory()
  if (directory === null) return []
  return (attempt(() => readdirSync(directory)) ?? []).flatMap(name => readNote(`${directory}/${name}`) ?? [])
}

function readNote(path: string): Note | null {
  const text = attempt(() => readFileSync(path, 'utf8'))
  if (text === null) return null
  const [actor = '', namespace = ''] = text.split('\n')
  return { actor, namespace }
}

function usersOf(lineage: readonly NotedProcess[]): ReadonlySet<number> {
  const own = process.getuid?.()
  const owners = lineage.flatMap(({ pid }) => attempt(() => statSync(`/proc/${pid}`).uid) ?? [])
  return new Set(own === undefined ? owners : [own, ...owners])
}

/** `null` on a system without users. */
function notesDirectory(): string | null {
  const uid = process.getuid?.()
  return uid === undefined ? null : directoryOf(uid)
}

function directoryOf(uid: number): string {
  return `/tmp/holdpoint-${uid}/commands`
}

function nameOf({ pid, parent, started }: NotedProcess): string {
  return `${pid}-${started ?? `of${parent}`}`
}

let isMade = false

/**
 * Makes the directory once, and removes notes that a killed process left. False if others may write there, or if it could
 * not be made: the next command tries again.
 */
function made(): boolean {
  isMade ||= attempt(makeDirectory) ?? false
  return isMade
}

function makeDirectory(): boolean {
  const directory = notesDirectory()
  if (directory === null) return false
  makeDirectories(directory, each => mkdirSync(each, { mode: 0o700 }))
  if (![directory, directory.slice(0, directory.lastIndexOf('/'))].every(isOwn)) return false
  for (const name of readdirSync(directory)) if (isStale(name)) attempt(() => unlinkSync(`${directory}/${name}`))
  return true
}

function isOwn(path: string): boolean {
  const stats = lstatSync(path)
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & OTHERS) === 0
}

function isStale(name: string): boolean {
  const [pid = ''] = name.split('-')
  const there = processStat(Number(pid))
  if (there !== null) return there.started !== name.slice(pid.length + 1)
  return attempt(() => process.kill(Number(pid), 0)) === null
}

function attempt<Result>(act: () => Result): Result | null {
  try {
    return act()
  } catch {
    return null
  }
}
