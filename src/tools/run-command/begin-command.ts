/** How a command begins: by a shell on its directory, or in a box. */
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { ToolError } from '../../core/errors.ts'
import { BEGUN, HELD, type Launch } from '../box/mounts/launch.ts'
import type { BoundedOutput } from './bounded-output.ts'

interface Begun {
  readonly command: string
  readonly workdir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly launch?: Launch | undefined
}

interface Beginning {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: Begun['environment']
  readonly cwd: string
  /** Written to the descriptors from 3 on; `null` where there is none, and `HELD` where one stays open. */
  readonly handed: readonly (string | Uint8Array | null | typeof HELD)[]
}

export function beginning({ launch, command, workdir, environment }: Begun): Beginning {
  if (launch) return { ...launch, cwd: '/', handed: [launch.options, launch.filter, '', HELD] }
  // After `--` no command is taken for an option of the shell.
  return { file: shell(), args: ['-c', '--', command], environment, cwd: workdir, handed: [] }
}

export function handOver({ stdio }: ChildProcess, handed: Beginning['handed']): void {
  for (const [index, bytes] of handed.entries()) {
    const pipe = stdio[3 + index] as Writable | null
    if (pipe === null || bytes === HELD) continue
    // A program that ended before it read them says why.
    pipe.on('error', () => {})
    pipe.end(bytes)
  }
}

/** A command in a box writes a line once its box is there. */
export function begunIn({ stdio }: ChildProcess): { hasBegun: boolean } {
  const begun = { hasBegun: false }
  const pipe = stdio[BEGUN as 4] as Readable | null | undefined
  pipe?.once('data', () => {
    begun.hasBegun = true
    pipe.destroy()
  })
  return begun
}

export function notBoxed(stderr: BoundedOutput): ToolError {
  const why = stderr.text().trim() || 'no reason is given'
  return new ToolError('COMMAND_NOT_STARTED', `The command could not be started in a box: ${why}`)
}

/** Policy reads commands as bash does, so bash runs them; a system without it has only its `sh` to offer. */
function shell(): string {
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
}
