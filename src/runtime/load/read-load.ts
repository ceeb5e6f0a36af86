/** How much people are asked, read from the audit log and the rows of holds. */

import { A_COUNT, A_NAME, A_TIME, AN_OBJECT, checkFields, checkValue, type Rules } from '../../core/given-fields.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { LoadFold } from '../../core/load/load-fold.ts'
import type { LoadQuery, LoadReport, ReplayedRule, RuleReplay } from '../../core/load/load-report.ts'
import { DAY_SECONDS } from '../../core/people/due.ts'
import { settingRefusals } from '../../core/refusals/setting-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { AskedCalls } from './asked-calls.ts'
import { recordsBetween, type TimeSpan } from './records-between.ts'
import { replayRule, sparingRules } from './sparing-rules.ts'

const USUAL_DAYS = 7
const USUAL_LAST = 20
const MOST_LAST = 500
const PAGE = 200

const QUERY: Rules<LoadQuery> = { since: A_TIME, until: A_TIME }
const RULE: Rules<ReplayedRule> = { agent: A_NAME, tool: A_NAME, match: AN_OBJECT, last: A_COUNT }

/** @throws RefusedError `invalid_arguments` */
export async function readLoad(runtime: Runtime, given: LoadQuery): Promise<LoadReport> {
  const span = spanOf(given, runtime.clock.now())
  const fold = new LoadFold()
  const asked = new AskedCalls(MOST_LAST)
  for await (const record of recordsBetween(runtime.store, span)) {
    if (record.hold_id === null) continue
    const isEnd = record.kind === 'hold.decided'
    const row = isEnd || !fold.knows(record.hold_id) ? await runtime.store.hold(record.hold_id) : null
    fold.take(record, row)
    if (isEnd && row !== null) asked.take(row)
  }
  return { ...fold.report(span), rules: await sparingRules(runtime, asked) }
}

function spanOf(given: LoadQuery, now: number): TimeSpan {
  const { since, until } = checkFields('audit.report', given, QUERY)
  const end = until === undefined ? now : Date.parse(until)
  const start = since === undefined ? end - USUAL_DAYS * DAY_SECONDS * 1000 : Date.parse(since)
  if (start < end) return { since: start, until: end }
  throw settingRefusals.sinceAfterUntil()
}

/** @throws RefusedError `invalid_arguments` */
export async function replay(runtime: Runtime, given: ReplayedRule): Promise<RuleReplay> {
  const { agent, tool, match, last = USUAL_LAST } = checkFields('audit.replay', given, RULE)
  checkValue('`agent` of audit.replay', agent, A_NAME)
  checkValue('`tool` of audit.replay', tool, A_NAME)
  const patterns = Object.values(checkValue('`match` of audit.replay', match, AN_OBJECT))
  if (patterns.length === 0 || patterns.some(pattern => typeof pattern !== 'string')) throw settingRefusals.noPatterns()
  const asked = new AskedCalls(Math.min(last, MOST_LAST))
  for await (const hold of decidedApprovals(runtime, { agent, tool })) if (asked.takeEarlier(hold)) break
  return replayRule(runtime, asked.of({ agent, tool }), { match, arguments: null })
}

/** The newest first: how many holds there were before does not matter. */
export async function* decidedApprovals(
  { store }: Runtime,
  query: Partial<Pick<ReplayedRule, 'agent' | 'tool'>> = {},
): AsyncGenerator<Hold, void, undefined> {
  let page: readonly Hold[] = []
  do {
    const last = page.at(-1)
    page = await store.holds({
      ...query,
      status: 'decided',
      order: 'newest',
      kind: 'approval',
      limit: PAGE,
      ...(last && { after: last.id }),
    })
    yield* page
  } while (page.length === PAGE)
}
