/**
 * Notes of the processes that are commands of agents, one file each. A command can clear its environment and replace
 * its program; its process id and its start stay.
 * N1  The directory depends on the user alone: no variable of a command leads its processes to another one.
 * N2  Notes narrow what a process may do, so a lost note leaves the environment of its ancestors, and never a failure.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { makeDirectories } from '../../core/make-directories.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import { processStat } from './process-stat.ts'

const OTHERS = 0o077

/** A process as its note names it; where start times are unknown, its parent tells it from a later process of this id. */
export interface NotedProcess {
  readonly pid: number
  readonly parent: number
  readonly started: string | null
}

/** Notes a command that this process started just now. */
export const noteCommand: NoteCommand = (pid, actor) => {
  const path = made() && pathOf({ pid, parent: process.pid, started: processStat(pid)?.started ?? null })
  if (!path) return () => {}
  attempt(() => writeFileSync(path, actor, { mode: 0o600 }))
  return () => attempt(() => unlinkSync(path))
}

/** The agent whose command a process is; `null` if no note says so. */
export function notedActor(noted: NotedProcess): string | null {
  const path = pathOf(noted)
  return path && attempt(() => readFileSync(path, 'utf8'))
}

/** True if any command of an agent may run on this machine now. */
export function hasNotes(): boolean {
  const directory = notesDirectory()
  return directory !== null && (attempt(() => readdirSync(directory).length) ?? 0) > 0
}

/** `null` on a system without users. */
function notesDirectory(): string | null {
  const uid = process.getuid?.()
  return uid === undefined ? null : `/tmp/holdpoint-${uid}/commands`
}

function pathOf({ pid, parent, started }: NotedProcess): string | null {
  const directory = notesDirectory()
  return directory && `${directory}/${nameOf({ pid, parent, started })}`
}

function nameOf({ pid, parent, started }: NotedProcess): string {
  return `${pid}-${started ?? `of${parent}`}`
}

let isMade: boolean | null = null

/** Makes the directory once, and removes notes that a killed process left. False if others may write there. */
function made(): boolean {
  isMade ??= attempt(makeDirectory) ?? false
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
  const found = lstatSync(path)
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & OTHERS) === 0
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
