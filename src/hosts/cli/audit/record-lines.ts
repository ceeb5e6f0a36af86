import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { AuditedRecord } from '../../../runtime/threads/audit.ts'
import { ago } from '../../display/ago.ts'
import type { Screen } from '../../display/screen.ts'
import { wrapped } from '../../display/wrap.ts'

const MARGIN = '  '

/** A record for people in a terminal: a sentence, above it its place, its age and the ids that commands take. */
export function recordLines({ seq, record, told }: AuditedRecord, { now, width, paint }: Screen): string {
  if (record === null) return `${paint('red', `${seq}  unreadable: see \`holdpoint audit verify\``)}\n`
  const { at, run_id, thread_id, hold_id, call_id, data } = record
  const task = typeof data['task_id'] === 'string' ? data['task_id'] : null
  const id = hold_id ?? task ?? run_id ?? thread_id ?? ''
  const place = [String(seq), ago(at, now), visibleLine(id), visibleLine(call_id ?? '')].filter(part => part !== '')
  const isBad = told?.tone === 'bad'
  const sentence = wrapped(visibleLine(told?.text ?? ''), width - MARGIN.length).map(line => {
    const shown = shortened(line, width - MARGIN.length)
    return `${MARGIN}${isBad ? paint('red', shown) : shown}\n`
  })
  return `${paint('dim', shortened(place.join('  '), width))}\n${sentence.join('')}`
}
