import { AUDIT_KINDS } from '../../../core/audit/audit.ts'
import type { AuditQuery } from '../../../ports/store/audit.ts'
import type { AuditedRecord } from '../../../runtime/threads/audit.ts'
import { USUAL_LIMIT } from '../route/page.ts'
import type { RestRoute } from '../route/rest-route.ts'
import { described, FLAG, NAME, PAGE, TIME, words } from '../route/schema-parts.ts'

export const AUDIT_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/audit',
    role: 'viewer',
    summary: 'Who did what, oldest first if `order` does not say otherwise',
    query: {
      kind: words(...AUDIT_KINDS),
      run_id: NAME,
      thread_id: NAME,
      hold_id: NAME,
      actor: NAME,
      since: TIME,
      until: TIME,
      lines: described(FLAG, 'Each also as the line of an export, which keeps the bytes that were hashed.'),
      order: described(words('oldest', 'newest'), 'Which come first. Default: oldest.'),
      limit: PAGE['limit'] ?? {},
      after: { type: 'integer', minimum: 0, description: 'The `next` of the page before.' },
    },
    answers: { 200: '#AuditRecords' },
    answer: async ({ query }, { holdpoint }) => {
      const { limit = USUAL_LIMIT, lines = false, ...filter } = query as AuditQuery & { readonly lines?: boolean }
      const found: AuditedRecord[] = []
      for await (const record of holdpoint.audit.list({ ...filter, limit })) found.push(record)
      const records = found.map(({ line, ...record }) => (lines ? { ...record, line } : record))
      return Response.json({ records, next: found.length < limit ? null : (found.at(-1)?.seq ?? null) })
    },
  },
  {
    method: 'GET',
    path: '/v1/audit/head',
    role: 'viewer',
    summary: 'The end of the log: noted elsewhere, it proves later that nothing before it was changed',
    answers: { 200: '#AuditHead' },
    answer: async (_, { holdpoint }) => Response.json(await holdpoint.audit.head()),
  },
]
