import type { Hold } from '../../../core/hold/hold.ts'
import { unknownHold } from '../../../core/hold/unknown-hold.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { fitsScreen } from '../../display/fits-screen.ts'
import { claimedPrincipal } from '../../process/actor.ts'
import { recordShown } from '../../project/record-shown.ts'
import { askedText, holdText } from './hold-text.ts'

/** P10: on record. False if what it asks for does not fit the screen. */
export async function showHold(
  context: CommandContext,
  holdpoint: Holds & Pick<Holdpoint, 'audit'>,
  { id, status }: Hold,
): Promise<boolean> {
  const view = await holdpoint.holdInContext(id, claimedPrincipal(context.env))
  if (view === null) throw unknownHold(id)
  const text = context.json ? jsonLine(view) : holdText(context, view)
  const inFull = fitsScreen(context.json ? text : askedText(context, view), context.io)
  if (status === 'open') await recordShown(holdpoint, [{ id }], { ...context, inFull })
  context.io.out(text)
  return inFull
}
