import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import { alreadyDecided } from '../../../core/hold/already-decided.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../../../core/text/json.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { jsonObject } from '../../command/json-value.ts'
import { paintFor } from '../../display/colours.ts'
import { confirmAtTerminal } from '../../display/confirm.ts'
import { readText } from '../../process/read-text.ts'
import { argumentDifference } from '../holds/argument-difference.ts'
import { onlyWord } from '../open-for-reading.ts'
import { askAtTerminal, editArguments } from './edit-arguments.ts'
import { recordDecisions } from './record-decisions.ts'
import type { By, DecidingRequest } from './say-to-holds.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const names = [onlyWord(given.words, 'edit HOLD')]
  const json = given.value('arguments')
  const args = json === null ? null : await argumentsIn(json)
  const decide: DecidingRequest['decide'] = (holds, by, holdpoint) =>
    Promise.all(holds.map(hold => edit({ context, hold, by, holdpoint }, args)))
  return recordDecisions(context, { names, decide })
}

interface Edit {
  readonly context: CommandContext
  readonly hold: Hold
  readonly by: By
  readonly holdpoint: Holds
}

function edit(asked: Edit, args: JsonObject | null): Promise<Receipt> {
  return args === null ? editByHand(asked) : say(asked, args)
}

async function say({ context, hold, by, holdpoint }: Edit, args: JsonObject): Promise<Receipt> {
  if (hold.status === 'open' && canonicalJson(args) === canonicalJson(hold.arguments))
    return { outcome: 'refused', hold, error: unchanged(hold) }
  const reason = context.given.value('reason')
  return holdpoint.decide(hold.id, { verdict: 'edit', arguments: args, reason, digest: hold.digest, ...by })
}

/** In an editor, until the arguments fit or the person gives up. */
async function editByHand(asked: Edit): Promise<Receipt> {
  const { context, hold, holdpoint } = asked
  const askAgain = askAtTerminal(context)
  const before = editable(hold)
  refuseClosed(hold)
  let edited = await editArguments(before, { ...context, askAgain })
  while (edited !== null && (await isMeant(context, before, edited))) {
    const receipt = await say(asked, edited)
    const problem = receipt.outcome === 'refused' && CORRECTABLE.includes(receipt.error.code) ? receipt.error : null
    if (!problem || askAgain === null || !(await askAgain(problem.message))) return receipt
    edited = await editArguments(edited, { ...context, askAgain })
  }
  return { outcome: 'refused', hold: await holdpoint.hold(hold.id), error: unchanged(hold) }
}

/** Refusals that other arguments may put right. */
const CORRECTABLE: readonly string[] = ['invalid_arguments', 'forbidden_edit']

/** A person sees what they changed before it counts. */
async function isMeant(context: CommandContext, before: JsonObject, after: JsonObject): Promise<boolean> {
  const confirm = confirmAtTerminal(context)
  if (confirm === null) return true
  context.io.out(argumentDifference(before, after, paintFor(context)))
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

/** JSON, or the text of a file behind `@`, or stdin for `-`. @throws RefusedError `invalid_arguments` */
async function argumentsIn(given: string): Promise<JsonObject> {
  const path = given === '-' ? '-' : given.startsWith('@') ? given.slice(1) : null
  const text = path === null ? given : await readText(path, 'The arguments')
  const hint = 'Write --arguments \'{"name": …}\', --arguments @FILE, or --arguments - to read stdin.'
  return jsonObject(text, { what: '--arguments', hint })
}

function unchanged({ id }: Hold): RefusedError {
  return new RefusedError('unchanged', `The arguments of ${id} stay as they were, so nothing was recorded.`, {
    hint: `To let the call run as it is, use \`holdpoint approve ${id}\`.`,
  })
}
