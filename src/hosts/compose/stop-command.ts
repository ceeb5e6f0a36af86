import { stopFamily } from '../../tasks/stop-family.ts'
import { processFamilies } from '../../tools/run-command/process-family.ts'
import { recordedCommand } from '../process/calls/call-record.ts'
import { processLiveness } from '../process/process-liveness.ts'

/** Between SIGTERM and SIGKILL, as for a command whose agent lives. */
const GRACE_MS = 2000

/** Ends the command that an attempt of the call left running here, with what it started. */
export async function stopCommand(call: string): Promise<void> {
  const process = recordedCommand(call)?.process ?? null
  if (process === null || !processLiveness().isAlive(process)) return
  const [, pid, started = null] = process.split(':')
  await stopFamily(processFamilies, { leader: Number(pid), started, mark: null }, GRACE_MS)
}
