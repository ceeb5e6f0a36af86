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

/**
 * Terminals that show a message only if their window has no focus. Of the others it cannot be known: focus is reported among
 * the keys, and this process reads none.
 * @see https://sw.kovidgoyal.net/kitty/desktop-notifications/
 */
const KNOWS_FOCUS = /^(xterm-kitty|foot(-.+)?)$/

/** OSC 9 is shown as a message by terminals that know it, and ignored by the others. */
function ringing(text: string): string {
  const line = visibleLine(text)
  if (KNOWS_FOCUS.test(process.env['TERM'] ?? '')) return `\u001b]99;i=holdpoint:o=unfocused;${line}\u001b\\`
  return `\u001b]9;${line}${BELL}${BELL}`
}
