/**
 * A file for each command of an agent, by the idempotency key of its call: the place, the process and the last status.
 * The shell of the command writes the last two itself, before the command begins and when it ends, so neither is lost
 * if the starter dies.
 * C1  Only the user's own directory is used, which no other user may enter.
 * C2  No command reads or inherits a variable of its record.
 * C3  The status on record is no exit: a shell that a signal ends writes the one of an earlier command (P11).
 * C4  A lost record leaves its call in doubt, and is never a failure.
 */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { PrintedOutput } from '../../../core/doubt/started-work.ts'
import type { CommandOutput, RecordCall, RecordedCommand } from '../../../ports/process/call-record.ts'
import { makePrivateDirectory } from '../private-directory.ts'
import { processLiveness } from '../process-liveness.ts'

/** Milliseconds after which nobody asks for leftover files. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000
/** Limit for a file name, in bytes. */
const LONGEST_NAME = 200

/** Bash reads it before the command. */
const SCRIPT = `{ read -r && echo "$REPLY" >> "$HOLDPOINT_CALL_RECORD"; } 2>/dev/null < /proc/$$/stat
trap "{ echo \\$? >> '$HOLDPOINT_CALL_RECORD'; } 2>/dev/null" EXIT
unset REPLY HOLDPOINT_CALL_RECORD BASH_ENV
if [ -n "\${HOLDPOINT_BASH_ENV+given}" ]; then
  export BASH_ENV="$HOLDPOINT_BASH_ENV"
  unset HOLDPOINT_BASH_ENV
  if [ -r "$BASH_ENV" ]; then . "$BASH_ENV"; fi
fi
`

export const recordCall: RecordCall = (call, environment) => {
  const script = made()
  const path = pathOf(call)
  if (script === null || path === null) return null
  const [place] = processLiveness().self.split(':')
  if (attempt(() => writeFileSync(path, `${place}\n`, { mode: 0o600 }) ?? true) === null) return null
  const { BASH_ENV } = environment
  return {
    environment: {
      ...environment,
      ...(BASH_ENV !== undefined && { HOLDPOINT_BASH_ENV: BASH_ENV }),
      BASH_ENV: script,
      HOLDPOINT_CALL_RECORD: path,
    },
    keepOutput: output => keepLater(path, output),
    forget: () => {
      for (const each of [path, outputOf(path)]) attempt(() => unlinkSync(each))
    },
  }
}

/** Few commands run so long that they need it. */
function keepLater(path: string, output: CommandOutput): () => void {
  let isOver = false
  let stop = () => {}
  const begin = async () => {
    const { keepOutput } = await import('./keep-output.ts')
    if (!isOver) stop = keepOutput(outputOf(path), output)
  }
  // Without it the output is lost with this process, and its hold reports the loss.
  begin().catch(() => {})
  return () => {
    isOver = true
    stop()
  }
}

/** No name of a record has such a character. */
function outputOf(path: string): string {
  return `${path}+output`
}

/** `null` if no attempt of the call left one here. */
export function recordedCommand(call: string): RecordedCommand | null {
  const path = pathOf(call)
  const [place, stat, exit] = (path && attempt(() => readFileSync(path, 'utf8')))?.split('\n') ?? []
  if (!place || !stat) return null
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return {
    process: `${place}:${Number.parseInt(stat, 10)}:${started}`,
    last_status: /^\d+$/.test(exit ?? '') ? Number(exit) : null,
    printed: attempt((): PrintedOutput => JSON.parse(readFileSync(outputOf(path ?? ''), 'utf8'))),
  }
}

/** `null` on a system without users. */
function directory(): string | null {
  const uid = process.getuid?.()
  return uid === undefined ? null : `/tmp/holdpoint-${uid}/calls`
}

function pathOf(call: string): string | null {
  const name = encodeURIComponent(call).replaceAll("'", '%27')
  const room = directory()
  return room === null || name.length > LONGEST_NAME ? null : `${room}/${name}`
}

let isMade = false

/** The script; `null` if it may not be trusted, or the shell of commands would not read it. */
function made(): string | null {
  const room = directory()
  if (room === null || !existsSync('/bin/bash')) return null
  isMade ||= attempt(() => make(room)) ?? false
  return isMade ? `${room}/record.sh` : null
}

function make(room: string): boolean {
  makePrivateDirectory(room)
  if (![room, room.slice(0, room.lastIndexOf('/'))].every(isOwn)) return false
  for (const name of readdirSync(room)) attempt(() => removeOld(`${room}/${name}`))
  writeScript(room)
  return true
}

/** @throws if another process removed it first. */
function removeOld(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > KEPT_MS) unlinkSync(path)
}

/** Whole at any time: shells of other processes read it, and those may be of another version. */
function writeScript(room: string): void {
  const path = `${room}/record.sh`
  if (attempt(() => readFileSync(path, 'utf8')) === SCRIPT) return
  writeFileSync(`${path}.${process.pid}`, SCRIPT, { mode: 0o600 })
  renameSync(`${path}.${process.pid}`, path)
}

function isOwn(path: string): boolean {
  const stats = lstatSync(path)
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0
}

function attempt<Result>(act: () => Result): Result | null {
  try {
    return act()
  } catch {
    return null
  }
}
