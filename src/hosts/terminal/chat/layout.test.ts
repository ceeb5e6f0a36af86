import { expect, test } from 'vitest'
import type { Hold } from '../../../core/hold/hold.ts'
import { ApprovalBar } from '../bar/approval-bar.ts'
import { Draft } from '../draft/draft.ts'
import { line, lineText } from '../screen/flow.ts'
import { type LayoutFacts, layOut } from './layout.ts'

const FACTS = 'run_command · 1 of 2 approved · due in 23 h: its run cancelled · rule: tools.run_command'

test('P9: facts that do not fit into one row go on in the next, so that the rule can be read', () => {
  const rows = drawn({ bar: barWithHold(), barFacts: FACTS, columns: 79, height: 24 })
  expect(rows).toContain('  rule: tools.run_command ─')
})

test('facts for which there is no room end in a mark', () => {
  const rows = drawn({ bar: barWithHold(), barFacts: FACTS, columns: 39, height: 12 })
  expect(rows.some(row => row.startsWith('─ 1 waits · run_command') && row.endsWith('…'))).toBe(true)
  expect(rows).toContain('   run_command')
})

test('each row of a notice has its indent', () => {
  const rows = drawn({ notice: line(` ${'many words '.repeat(10)}`), columns: 40 })
  expect(rows.slice(0, 2).every(row => /^ many|^ words/.test(row))).toBe(true)
})

function drawn(facts: Partial<LayoutFacts>): string[] {
  const usual: LayoutFacts = {
    ...{ columns: 79, height: 24, bar: new ApprovalBar(() => 0), barFacts: '', draft: new Draft() },
    ...{ live: [], queued: [], notice: null, menu: [], status: 'ready', answers: false },
  }
  return layOut({ ...usual, ...facts }).lines.map(lineText)
}

function barWithHold(): ApprovalBar {
  const bar = new ApprovalBar(() => 0)
  const facts = { id: 'hold_1', call_id: 'tc_1', kind: 'approval', tool: 'run_command', arguments: {}, level: 0 }
  const rest = { digest: 'd', message: 'Read on.', context: null, choices: null, response_schema: null, preview: null }
  bar.replace([{ ...facts, ...rest, votes: [], destructive: false } as unknown as Hold])
  return bar
}
