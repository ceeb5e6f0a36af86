import { AUDIT_KINDS } from '../../../core/audit/audit.ts'
import { described, FLAG, object, whole, words } from '../../../core/text/json-schema.ts'
import { AUDIT_ORDERS } from '../../../ports/store/audit.ts'
import { USUAL_LIMIT } from '../route/page.ts'
import { type RestRoute, verb } from '../route/rest-route.ts'
import { MATCH, NAME, PAGE, TIME } from '../route/schema-parts.ts'

export const AUDIT_ROUTES: readonly RestRoute[] = [
  verb('audit.list', {
    summary: 'Who did what, oldest first if `order` does not say otherwise',
    query: {
      kind: words(...AUDIT_KINDS),
      ...{ run_id: NAME, thread_id: NAME, hold_id: NAME, actor: NAME, since: TIME, until: TIME },
      decisions: described(FLAG, 'Only decisions, of people and of deadlines.'),
      agent: described(NAME, 'Only what concerns this agent.'),
      told: described(FLAG, 'Each also as a sentence, with what was asked and what came of it.'),
      lines: described(FLAG, 'Each also as the line of an export, which keeps the bytes that were hashed.'),
      order: described(words(...AUDIT_ORDERS), 'Which come first. Default: oldest.'),
      limit: PAGE.limit,
      after: described(whole(0), 'The `next` of the page before.'),
    },
    answers: { 200: '#AuditRecords' },
    call: async ({ query: { limit = USUAL_LIMIT, lines = false, ...filter } }, { holdpoint }) => {
      const found = await Array.fromAsync(holdpoint.audit.list({ ...filter, limit }))
      const records = found.map(({ line, ...record }) => (lines ? { ...record, line } : record))
      return { records, next: found.length < limit ? null : (found.at(-1)?.seq ?? null) }
    },
  }),
  verb('audit.head', {
    summary: 'The end of the log: noted elsewhere, it proves later that nothing before it was changed',
    answers: { 200: '#AuditHead' },
  }),
  verb('audit.report', {
    summary: 'How much people are asked, how they answer, and which rules would have spared them',
    query: {
      since: described(TIME, 'Default: 7 days before `until`.'),
      until: described(TIME, 'Default: now.'),
    },
    answers: { 200: '#LoadReport' },
  }),
  verb('audit.replay', {
    summary: 'Replay a rule over the newest approvals: what it would have spared. It allows nothing',
    body: object(
      {
        ...{ agent: NAME, tool: NAME, match: MATCH },
        last: described(whole(1, 500), 'Over so many approvals. Default: 20.'),
      },
      ['agent', 'tool', 'match'],
    ),
    answers: { 200: '#RuleReplay' },
  }),
]
