import type { Dialect } from '../../sql/driver/dialect.ts'

export const POSTGRES: Dialect = {
  events: {
    key: 'thread, seq',
    place: '?1, ?2',
    behind: (thread, seq) => `thread = ${thread} AND seq > ${seq}`,
    at: (thread, seq) => `thread = ${thread} AND seq = ${seq}`,
    checkedData: 'e.data',
    thread: 'thread',
    seq: 'seq',
    order: 'seq',
    before: '(thread, seq) < (?1::bigint, ?2::integer)',
    after: '(thread, seq) > (?1::bigint, ?2::integer)',
    newestFirst: 'thread DESC, seq DESC',
    oldestFirst: 'thread, seq',
  },
  head: 'SELECT seq, hash FROM @audit_head WHERE one = 1',
  noted: 'SELECT seq, hash FROM @audit_head WHERE one = 1',
  pending: 'SELECT record FROM @audit_pending ORDER BY number',
  newest: 't.newest',
  keepsNewest: true,
  grants: {
    columns: ['scope', 'scope_id', 'hold_id'],
    within: `scope <> 'project' AND scope_id = ANY(?1::text[])`,
    ofThread: `scope <> 'project' AND hold_id IN (SELECT id FROM @holds WHERE thread_id = ?1)`,
  },
  list: fields => {
    const columns = Object.entries(fields).map(([name, type]) => `${name} ${type}`)
    return `(SELECT * FROM json_to_recordset(?1::json) AS given (${columns.join(', ')}))`
  },
  sortsNumbers: false,
}
