import { describeDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { CommandContext } from '../../command/command.ts'
import { systemClock } from '../../process/system-clock.ts'
import { recordShown } from '../../project/record-shown.ts'
import { holdHistory } from './hold-history.ts'
import { type AnsweredBefore, type HoldDocument, holdText } from './hold-text.ts'
import { type PlacedHold, placedHolds } from './placed-holds.ts'

export async function showHold(context: CommandContext, holdpoint: Holdpoint, hold: Hold): Promise<void> {
  if (hold.status === 'open') await recordShown(holdpoint, [hold], context)
  const document: HoldDocument = {
    ...((await placedHolds(holdpoint, [hold]))[0] as PlacedHold),
    history: holdHistory(await holdpoint.journal(hold.thread_id), hold.id),
    earlier_answers: await earlierAnswers(holdpoint, hold),
    at_deadline: hold.status === 'open' ? describeDue(hold, systemClock.now()) : null,
  }
  context.io.out(context.json ? `${JSON.stringify(document)}\n` : holdText(context, document))
}

async function earlierAnswers(holdpoint: Holdpoint, hold: Hold): Promise<AnsweredBefore[]> {
  const decided = await holdpoint.holds({ run_id: hold.run_id, status: 'decided', kind: 'question' })
  return decided.flatMap(({ id, message, decision }) => {
    const isEarlier = decision?.verdict === 'respond' && !(hold.decision && decision.at > hold.decision.at)
    if (id === hold.id || !isEarlier) return []
    const { value: answer, decided_by: answered_by, at } = decision
    return [{ question: message, answer, answered_by, at, hold_id: id }]
  })
}
