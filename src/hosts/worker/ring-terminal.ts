import { visibleLine } from '../../core/text/visible-text.ts'
import type { App } from '../compose/compose.ts'

/** A burst of holds rings once. */
const REST_MS = 5_000

/** Rings the terminal of this process for each hold that opens in its store. Without a terminal it does nothing. */
export async function ringTerminal(app: App, signal: AbortSignal): Promise<void> {
  if (!process.stderr.isTTY) return
  const { seq: since } = await app.store.auditHead()
  let rang = 0
  for await (const { record } of app.holdpoint.audit.follow({ since, signal })) {
    if (record?.kind !== 'hold.opened' || Date.now() - rang < REST_MS) continue
    rang = Date.now()
    const hold = record.hold_id === null ? null : await app.store.hold(record.hold_id)
    process.stderr.write(hold ? ringing(`${hold.agent} waits: holdpoint show ${hold.id}`) : BELL)
  }
}

const BELL = '\u0007'

/** OSC 9 is shown as a message by terminals that know it, and ignored by the others. */
function ringing(text: string): string {
  return `\u001b]9;${visibleLine(text)}\u0007${BELL}`
}
