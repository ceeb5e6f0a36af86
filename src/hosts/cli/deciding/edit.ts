import type { Receipt } from '../../../core/deciding/receipt.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { canonicalJson, type JsonObject } from '../../../core/text/json.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import { editByHand } from '../../asking/edit-hold.ts'
import type { CommandContext } from '../../command/command.ts'
import { jsonObject } from '../../command/flag-values.ts'
import { readText } from '../../process/read-text.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { onlyWord } from '../open-for-reading.ts'
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
  return args === null ? editInEditor(asked) : say(asked, args)
}

async function say({ context, hold, by, holdpoint }: Edit, args: JsonObject): Promise<Receipt> {
  if (hold.status === 'open' && canonicalJson(args) === canonicalJson(hold.arguments))
    return { outcome: 'refused', hold, error: decidingRefusals.unchangedEdit(hold.id) }
  const reason = context.given.value('reason')
  return holdpoint.decide(hold.id, { verdict: 'edit', arguments: args, reason, digest: hold.digest, ...by })
}

async function editInEditor(asked: Edit): Promise<Receipt> {
  const { context, hold, holdpoint } = asked
  const receipt = await editByHand(hold, { ...context, decide: args => say(asked, args) })
  if (receipt) return receipt
  return { outcome: 'refused', hold: await holdpoint.hold(hold.id), error: decidingRefusals.unchangedEdit(hold.id) }
}

/** JSON, the text of a file after `@`, or stdin for `-`. @throws RefusedError `invalid_arguments` */
async function argumentsIn(given: string): Promise<JsonObject> {
  const path = given === '-' ? '-' : given.startsWith('@') ? given.slice(1) : null
  const text = path === null ? given : await readText(path, 'The arguments')
  const hint = 'Write --arguments \'{"name": …}\', --arguments @FILE, or --arguments - to read stdin.'
  return jsonObject(text, { what: '--arguments', hint })
}
