import type { Receipt } from '../../core/deciding/receipt.ts'
import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { isJsonObject, type JsonObject } from '../../core/text/json.ts'
import { paintFor } from '../display/colours.ts'
import { confirmAtTerminal } from '../display/confirm.ts'
import type { Io } from '../process/io.ts'
import { argumentDifference } from './argument-difference.ts'
import { askAtTerminal, editArguments } from './edit-arguments.ts'

export interface EditSite {
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
export async function editByHand(hold: Hold, site: EditSite): Promise<Receipt | null> {
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
async function isMeant(site: EditSite, before: JsonObject, after: JsonObject): Promise<boolean> {
  const confirm = confirmAtTerminal(site)
  if (confirm === null) return true
  site.io.out(argumentDifference(before, after, paintFor(site)))
  return confirm('Let the call run with these arguments?')
}

/** An edit of a closed hold would be in vain. @throws RefusedError */
function refuseClosed({ id, status, decision }: Hold): void {
  if (status === 'open') return
  if (decision) throw alreadyDecided(id, decision)
  throw new RefusedError('hold_not_open', `The hold ${id} is not open any more, so its arguments cannot be edited.`, {
    hint: `See how it went with \`holdpoint show ${id}\`.`,
  })
}

/** @throws RefusedError if it has no arguments that an editor could show. */
function editable({ id, kind, arguments: args }: Hold): JsonObject {
  if (kind === 'approval' && isJsonObject(args ?? null)) return args as JsonObject
  throw new RefusedError('not_editable', `${id} is a hold of kind ${kind} without arguments that are a JSON object.`, {
    hint: 'For a call whose arguments are broken, give them anew with --arguments JSON; answer questions with `holdpoint answer`.',
  })
}
