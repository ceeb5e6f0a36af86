import { RECORDED_KINDS } from '../../../core/audit/audit.ts'
import type { Dialect } from '../../sql/driver/dialect.ts'
import { SEQ_SPAN } from '../../thread-full.ts'

const field = (name: string) => `CASE WHEN json_valid(given) THEN json_extract(given, '$.${name}') END`

const RECORDED = RECORDED_KINDS.map(kind => `'${kind}'`).join(', ')

export const SQLITE: Dialect = {
  events: {
    key: 'place',
    place: `?1 * ${SEQ_SPAN} + ?2`,
    behind: (thread, seq) => `place > ${thread} * ${SEQ_SPAN} + ${seq} AND place < (${thread} + 1) * ${SEQ_SPAN}`,
    at: (thread, seq) => `place = ${thread} * ${SEQ_SPAN} + ${seq}`,
    checkedData: `CASE WHEN e.kind IN (${RECORDED}) OR NOT json_valid(e.data) THEN e.data ELSE '{}' END`,
    thread: `place / ${SEQ_SPAN}`,
    seq: `place % ${SEQ_SPAN}`,
    order: 'place',
    before: `place < ?1 * ${SEQ_SPAN} + ?2`,
    after: `place > ?1 * ${SEQ_SPAN} + ?2`,
    newestFirst: 'place DESC',
    oldestFirst: 'place',
  },
  head: 'SELECT seq, hash FROM audit WHERE seq > 0 ORDER BY seq DESC LIMIT 1',
  noted: 'SELECT seq, hash FROM audit_head WHERE one = 1',
  pending: null,
  newest: `(SELECT place FROM events WHERE place < (t.number + 1) * ${SEQ_SPAN} ORDER BY place DESC LIMIT 1)
    - t.number * ${SEQ_SPAN}`,
  keepsNewest: false,
  grants: {
    columns: [],
    within: `${field('scope')} <> 'project' AND ${field('scope_id')} = ANY(?1)`,
    // The agents are named for the index.
    ofThread: `agent IN (SELECT agent FROM holds WHERE thread_id = ?1) AND ${field('scope')} <> 'project'
      AND ${field('hold_id')} IN (SELECT id FROM holds WHERE thread_id = ?1)`,
  },
  list: fields =>
    `(SELECT ${Object.keys(fields)
      .map(name => `value ->> '$.${name}' AS ${name}`)
      .join(', ')} FROM json_each(?1))`,
  sortsNumbers: true,
}
