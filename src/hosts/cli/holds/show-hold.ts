import type { Hold } from '../../../core/hold/hold.ts'
import { unknownHold } from '../../../core/hold/unknown-hold.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { claimedPrincipal } from '../../process/actor.ts'
import { recordShown } from '../../project/record-shown.ts'
import { holdText } from './hold-text.ts'

export async function showHold(
  context: CommandContext,
  holdpoint: Holds & Pick<Holdpoint, 'audit'>,
  { id, status }: Hold,
): Promise<void> {
  if (status === 'open') await recordShown(holdpoint, [{ id }], context)
  const view = await holdpoint.holdInContext(id, claimedPrincipal(context.env))
  if (view === null) throw unknownHold(id)
  context.io.out(context.json ? jsonLine(view) : holdText(context, view))
}
