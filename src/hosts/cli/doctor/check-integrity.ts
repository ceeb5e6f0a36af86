import { jsonLine } from '../../../core/text/visible-text.ts'
import { inspectStore } from '../../compose/inspect-store.ts'
import { ownProgram } from '../../process/own-program.ts'
import { type Finding, fail, failure, printedWithin } from './finding.ts'

/** `null` if the file was not read through in time. A process of its own can be ended while SQLite or the disk is busy. */
export async function checkIntegrity(file: string, seconds: number): Promise<Integrity | null> {
  const told = await printedWithin(process.execPath, [ownProgram('bin'), '__integrity', file], { seconds })
  if (told === 'late') return null
  if (told.exit === 0) return JSON.parse(told.stdout)
  return { failed: fail('store', `${file} could not be read through: the process that reads it died`, 'Try again.') }
}

/** The damage of a file, or the failure to read it. */
export type Integrity = { readonly damage: readonly string[] } | { readonly failed: Finding }

/** `holdpoint __integrity FILE`, the process that reads a whole store for the doctor. */
export async function tellIntegrity(file: string): Promise<string> {
  const look = async (): Promise<Integrity> => ({ damage: (await inspectStore(file, { deep: true })).damage ?? [] })
  return jsonLine(await look().catch((thrown: unknown): Integrity => ({ failed: failure('store', thrown) })))
}
