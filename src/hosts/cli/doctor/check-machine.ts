import { arch, platform } from 'node:os'
import type { CommandContext } from '../../command/command.ts'
import { PLAIN, paintFor } from '../../display/colours.ts'
import { version } from '../../process/version.ts'
import { type Finding, ok, warn } from './finding.ts'

/** An older Node was refused before this check could run. */
export function checkNode(): Finding {
  return ok('node', `${process.version} on ${platform()} ${arch()}, holdpoint ${version()}`)
}

/** Narrower, and tables are hard to read. */
const NARROW = 60

export function checkTerminal(context: CommandContext): Finding {
  const { io, env } = context
  if (!io.isTerminal || process.stdin.isTTY !== true)
    return ok('terminal', 'none here: nobody is asked, and a pause exits with 10')
  const colours = paintFor(context) === PLAIN ? 'no colours' : 'colours'
  const size = `${process.stdout.columns} columns, ${process.stdout.rows} rows, ${colours}, TERM ${env['TERM'] ?? 'unset'}`
  return io.width() < NARROW
    ? warn('terminal', size, `Make it at least ${NARROW} columns wide, so that tables fit.`)
    : ok('terminal', size)
}
