import type { Receipt } from '../../core/deciding/receipt.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { argumentChanges } from '../../core/hold-view/blocks/argument-changes.ts'
import { isJsonObject, type JsonObject } from '../../core/text/json.ts'
import { confirmAtTerminal } from '../display/ask-line.ts'
import { paintedLines } from '../display/painted-lines.ts'
import { type Paint, PLAIN, paintFor } from '../display/screen.ts'
import type { Io } from '../process/io.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { askAtTerminal, editArguments } from './edit-arguments.ts'

interface EditDeps {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  readonly json?: boolean
  /** Leaves the arguments as they were. */
  readonly signal?: AbortSignal
  /** Lets the call run with these arguments. */
  readonly decide: (args: JsonObject) => Promise<Receipt>
}

/**
 * The arguments of a call in an editor, until they fit or the person gives up; `null` if they stay as they were. @throws
 * RefusedError if the hold is closed, or has no arguments that an editor could show.
 */
export async function editByHand(hold: Hold, site: EditDeps): Promise<Receipt | null> {
  const askAgain = askAtTerminal(site)
  const before = editable(hold)
  refuseClosed(hold)
  let edited = await editArguments(before, { ...site, askAgain })
  while (edited !== null && (await isMeant(site, before, edited))) {
    const receipt = await site.decide(edited)
    const problem = receipt.outcome === 'refused' && CORRECTABLE.includes(receipt.error.code) ? receipt.error : null
    if (!problem || askAgain === null || !(await askAgain(problem.message))) return receipt
    edited = await editArguments(edited, { ...site, askAgain })
  }
  return null
}

/** Refusals that other arguments may put right. */
const CORRECTABLE: readonly string[] = ['invalid_arguments', 'forbidden_edit']

/** A person sees what they changed before it counts. */
async function isMeant(site: EditDeps, before: JsonObject, after: JsonObject): Promise<boolean> {
  const confirm = confirmAtTerminal(site)
  if (confirm === null) return true
  site.io.out(argumentDifference(before, after, paintFor(site)))
  return confirm('Let the call run with these arguments?')
}

/** An edit of a closed hold would be in vain. @throws RefusedError */
function refuseClosed({ id, status, decision }: Hold): void {
  if (status === 'open') return
  if (decision) throw alreadyDecided(id, decision)
  throw argumentRefusals.holdNotOpen(id)
}

/** @throws RefusedError if it has no arguments that an editor could show. */
function editable({ id, kind, arguments: args }: Hold): JsonObject {
  if (kind === 'approval' && isJsonObject(args ?? null)) return args as JsonObject
  throw argumentRefusals.notEditable(id, kind)
}

/** P9: all that an approver changed in the arguments of a call; empty if nothing. */
export function argumentDifference(before: JsonObject, after: JsonObject, paint: Paint = PLAIN): string {
  return paintedLines(argumentChanges(before, after), paint)
    .map(line => `${line}\n`)
    .join('')
}
