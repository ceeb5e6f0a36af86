/** Frames of a client, as the verbs of a store or of a server take them: no process of the agent answers those. */
import type { Receipt } from '../../../../core/deciding/receipt.ts'
import type { DecideFrame, UserMessageFrame } from '../../../../core/fleet/frames.ts'
import type { Io } from '../../../process/io.ts'
import { WHILE_WAITING } from '../../../terminal/attached/attached-site.ts'

/** `workdir`: the directory that paths of files are below. @throws RefusedError `invalid_message` */
export async function messageIn(
  { text, input_id: inputId, mode = 'queue', files = [] }: UserMessageFrame,
  workdir: string,
) {
  const { attachments } = await import('../../../agent-process/attachments.ts')
  const parts = await attachments(files, workdir)
  return { text, inputId, whileWaiting: WHILE_WAITING[mode], ...(parts.length > 0 && { parts }) }
}

/** P9: with the digest and the level that the decider was shown. */
export function decisionIn({ type: _, hold_id, input_id: decision_id, seen, ...said }: DecideFrame) {
  return { ...said, digest: seen?.digest, level: seen?.level, decision_id }
}

/** @throws RefusedError if it was refused */
export function tellReceipt(io: Pick<Io, 'err'>, receipt: Receipt): void {
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') io.err(`~ ${receipt.winner.decided_by} decided that first\n`)
}
