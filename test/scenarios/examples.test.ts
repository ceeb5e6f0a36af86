import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('P2: the library example waits, tells the second decider who was first, and finishes', () => {
  const lines = runExample('library')
  expect(lines.slice(0, 3)).toEqual(['waiting', 'refund {"order":"7","amount":250}', 'recorded, already_decided'])
  expect(lines[3]).toMatch(/^Done: paid 250 for 7 \(th_\w{16}\/call_1\)$/)
})

test('the side-by-side example tells the timeline: a decision starts its call while another one still runs', () => {
  expect(runExample('side-by-side')).toEqual([
    'A suspended',
    'B suspended',
    'C running',
    'A resuming',
    'A running',
    'A succeeded',
    'C succeeded',
    'waiting',
    'B resuming',
    'B failed',
    'done',
  ])
})

test('the AI SDK model example asks a model object with its settings, and changes one for the second question', () => {
  expect(runExample('ai-sdk-model')).toEqual(['Hello, at 0.2', 'Hello again, at 1', 'example/echo 12'])
})

test('P2: the LangGraph example asks, has one of two approvals recorded, and tells the answer of the graph', () => {
  expect(runExample('langgraph')).toEqual([
    'waiting',
    "question From which account? [ 'giro', 'savings' ]",
    'waiting',
    'approval {"action":"pay","args":{"account":"giro","amount":250},"description":"Pays invoice 17"}',
    'recorded',
    'already_decided',
    'Paid 250 from giro.',
  ])
})

function runExample(name: string): string[] {
  const output = execFileSync(process.execPath, [`examples/${name}.ts`], { encoding: 'utf8' })
  return output.trimEnd().split('\n')
}
