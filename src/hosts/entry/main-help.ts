/** `holdpoint --help` alone: people who look around ask for it first, and it needs nothing of the rest. */
import { mainHelp } from '../cli/help/help.ts'
import { processIo, tolerateLostOutput } from '../process/io.ts'
import { COMMANDS } from './commands.ts'

export function tellHelp(): void {
  tolerateLostOutput()
  processIo.out(mainHelp(COMMANDS, processIo.width()))
}
